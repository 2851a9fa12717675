//! Serde forms, behind the feature `serde`: mostly the text forms as strings.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use crate::{Bounds, Family, Game, House, Move, Outcome, Position, Setup, Side};

macro_rules! as_text {
    ($($type:ty),*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    )*};
}

macro_rules! from_text {
    ($($type:ty),*) => {$(
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }
    )*};
}

as_text!(Family, Game, House, Move, Outcome, Position, Setup);
from_text!(Family, Game, House, Move, Outcome, Setup, Side);

#[derive(Serialize, Deserialize)]
struct BoundsForm {
    value: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bounds: Option<[i64; 2]>,
    #[serde(default, skip_deserializing)]
    outcome: Option<Outcome>,
}

/// An object of `value`, which may be `null`; `bounds`, if the value is `null`; and `outcome`, which may be `null`.
impl Serialize for Bounds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = self.value();
        let bounds = value.is_none().then_some([self.low, self.high]);
        BoundsForm { value, bounds, outcome: self.outcome() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Bounds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bounds, D::Error> {
        match BoundsForm::deserialize(deserializer)? {
            BoundsForm { value: Some(value), bounds: None, .. } => Ok(Bounds::exact(value)),
            BoundsForm { value: None, bounds: Some([low, high]), .. } if low <= high => {
                Ok(Bounds { low, high })
            }
            _ => Err(D::Error::custom("either a value or two bounds, the lower first")),
        }
    }
}

impl Serialize for Side {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self {
            Side::South => "south",
            Side::North => "north",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_read_as_they_are_written() {
        for (bounds, text) in [
            (Bounds::exact(-2), r#"{"value":-2,"outcome":"loss"}"#),
            (Bounds { low: 1, high: 5 }, r#"{"value":null,"bounds":[1,5],"outcome":"win"}"#),
            (Bounds { low: -1, high: 5 }, r#"{"value":null,"bounds":[-1,5],"outcome":null}"#),
        ] {
            assert_eq!(serde_json::to_string(&bounds).unwrap(), text);
            assert_eq!(serde_json::from_str::<Bounds>(text).unwrap(), bounds);
        }
        for bad in ["{}", r#"{"value":1,"bounds":[1,2]}"#, r#"{"value":null,"bounds":[3,2]}"#] {
            assert!(serde_json::from_str::<Bounds>(bad).is_err(), "{bad}");
        }
    }
}
