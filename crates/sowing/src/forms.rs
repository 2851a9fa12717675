//! Text forms as strings of serde, behind the feature `serde`.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use crate::{Game, Move, Position, Setup, Side};

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

as_text!(Game, Position, Setup);
from_text!(Game, Move, Setup);

/// As in a record: a house's number, or `x` for a swap.
impl Serialize for Move {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Move::House(house) => serializer.collect_str(house),
            Move::Swap => serializer.serialize_str("x"),
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

impl<'de> Deserialize<'de> for Side {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Side, D::Error> {
        match String::deserialize(deserializer)?.as_str() {
            "south" => Ok(Side::South),
            "north" => Ok(Side::North),
            other => Err(D::Error::custom(format!("a side is south or north, not {other:?}"))),
        }
    }
}
