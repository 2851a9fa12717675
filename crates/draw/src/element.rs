//! What pictures are made of: elements with attributes, texts and other elements.

use std::fmt::{self, Display, Write as _};

/// An element of an SVG document.
///
/// Names are the program's own; values and texts may be anything, and are escaped here and nowhere
/// else.
///
/// ```
/// use sowing_draw::Element;
///
/// let element = Element::text(1.25, 2.0, "a < b").with("class", "\"x\"");
/// assert_eq!(
///     element.to_string(),
///     "<text x=\"1.3\" y=\"2\" class=\"&quot;x&quot;\">a &lt; b</text>",
/// );
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Element {
    name: &'static str,
    /// As they stand in the document, each after a space.
    attributes: String,
    /// As it stands in the document.
    content: String,
}

impl Element {
    /// An element without attributes and content.
    pub fn new(name: &'static str) -> Element {
        Element { name, attributes: String::new(), content: String::new() }
    }

    /// The element with one more attribute.
    pub fn with(mut self, name: &'static str, value: impl Display) -> Element {
        let _ = write!(self.attributes, " {name}=\"{}\"", Escaped(value));
        self
    }

    /// The element with a length or a coordinate, to a tenth.
    pub fn at(self, name: &'static str, value: f64) -> Element {
        self.with(name, Tenths(value))
    }

    /// The element with a class.
    pub fn class(self, class: &str) -> Element {
        self.with("class", class)
    }

    /// The element with more text in it.
    pub fn say(mut self, text: impl Display) -> Element {
        let _ = write!(self.content, "{}", Escaped(text));
        self
    }

    /// The element with another in it.
    pub fn hold(mut self, inner: Element) -> Element {
        self.add(inner);
        self
    }

    /// Puts an element into this one, after all others.
    pub fn add(&mut self, inner: Element) {
        let _ = write!(self.content, "{inner}");
    }

    /// A text whose anchor is here.
    pub fn text(x: f64, y: f64, text: impl Display) -> Element {
        Element::new("text").at("x", x).at("y", y).say(text)
    }

    /// A circle around a point.
    pub fn circle(x: f64, y: f64, radius: f64) -> Element {
        Element::new("circle").at("cx", x).at("cy", y).at("r", radius)
    }

    /// A rectangle from its upper left corner.
    pub fn rect(x: f64, y: f64, width: f64, height: f64) -> Element {
        Element::new("rect").at("x", x).at("y", y).at("width", width).at("height", height)
    }

    /// A path of steps such as `M0 0H10`.
    pub fn path(steps: impl Display) -> Element {
        Element::new("path").with("d", steps)
    }
}

impl Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Element { name, attributes, content } = self;
        match content.as_str() {
            "" => write!(f, "<{name}{attributes}/>"),
            content => write!(f, "<{name}{attributes}>{content}</{name}>"),
        }
    }
}

/// An SVG document with a title, on white. Its text form is the document.
#[derive(Clone, Debug)]
pub struct Picture {
    head: Element,
    /// The elements, one a line.
    body: String,
}

impl Picture {
    /// An empty picture of so many units. A style sheet applies to what is added.
    pub fn new(title: &str, width: f64, height: f64, style: &str) -> Picture {
        let head = Element::new("svg")
            .with("xmlns", "http://www.w3.org/2000/svg")
            .with("viewBox", format_args!("0 0 {} {}", Tenths(width), Tenths(height)))
            .at("width", width)
            .at("height", height)
            .with("role", "img");
        let mut picture = Picture { head, body: String::new() };
        picture.add(Element::new("title").say(title));
        picture.add(Element::new("style").say(style));
        let ground = Element::new("rect").with("width", "100%").with("height", "100%");
        picture.add(ground.with("fill", "#fff"));
        picture
    }

    /// Puts an element over all others.
    pub fn add(&mut self, element: Element) {
        let _ = writeln!(self.body, "{element}");
    }
}

impl Display for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Element { name, attributes, .. } = &self.head;
        writeln!(f, "<{name}{attributes}>\n{}</{name}>", self.body)
    }
}

/// A number to a tenth, without a part that says nothing.
pub(crate) struct Tenths(pub(crate) f64);

impl Display for Tenths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Adding nothing makes minus zero zero.
        write!(f, "{}", (self.0 * 10.0).round() / 10.0 + 0.0)
    }
}

/// Anything as it stands in a document. What a document may not have becomes a mark.
struct Escaped<T>(T);

impl<T: Display> Display for Escaped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Escaping(f), "{}", self.0)
    }
}

struct Escaping<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl fmt::Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            match character {
                '&' => self.0.write_str("&amp;")?,
                '<' => self.0.write_str("&lt;")?,
                '>' => self.0.write_str("&gt;")?,
                '"' => self.0.write_str("&quot;")?,
                '\n' | '\t' => self.0.write_char(character)?,
                _ if character.is_control() || matches!(character, '\u{fffe}' | '\u{ffff}') => {
                    self.0.write_char('\u{fffd}')?;
                }
                _ => self.0.write_char(character)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_cannot_become_an_element() {
        let hostile = "</text><script a=\"b\">&\u{0}\u{ffff}";
        let escaped = "&lt;/text&gt;&lt;script a=&quot;b&quot;&gt;&amp;\u{fffd}\u{fffd}";
        let mut group = Element::new("g").with("id", hostile).say(hostile);
        assert_eq!(group.to_string(), format!("<g id=\"{escaped}\">{escaped}</g>"));
        group.add(Element::new("rect"));
        // Once, however deep it lies.
        let outer = Element::new("g").hold(group);
        assert_eq!(outer.to_string().matches("&amp;").count(), 2);
        assert!(outer.to_string().ends_with("<rect/></g></g>"));
        let picture = Picture::new(hostile, 10.0, 4.04, "a > b {}").to_string();
        assert!(picture.contains(&format!("<title>{escaped}</title>")));
        assert!(picture.contains("viewBox=\"0 0 10 4\"") && picture.ends_with("</svg>\n"));
    }

    #[test]
    fn lengths_are_short() {
        let tenths = [0.0, -0.01, 3.0, 2.25, -1.06, 1e6].map(|n| Tenths(n).to_string());
        assert_eq!(tenths, ["0", "0", "3", "2.3", "-1.1", "1000000"]);
    }
}
