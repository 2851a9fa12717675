//! The page as a folder of files that needs no server: the name and the content of each file.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rust_embed::RustEmbed;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use sowing_api::{PREFIX, ROUTES, Route};
use sowing_rules::{Game, Playthrough, Position};

use crate::assets::Web;
use crate::config::{Config, ServeError};
use crate::direct::Direct;

/// The modules of the page without a server.
#[derive(RustEmbed)]
#[folder = "site"]
struct Alone;

/// The game that the page shows first. Its responses are prepared, since the engine is not there yet.
const FIRST: &str = "kalah(6,4)";

/// A host sends no policy of ours, so that the pages bring it: scripts, styles, fonts and pictures of
/// the site itself, its workers and its engine, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
                      font-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; \
                      manifest-src 'self'; base-uri 'none'; form-action 'none'";

/// The service worker, which keeps the others.
const SERVICE: &str = "service.js";

/// Files that lie beside the pages: their addresses stay what they are from version to version.
const BESIDE: [&str; 2] = ["icon.svg", "manifest.webmanifest"];

/// The output of `bindings/wasm/build`.
#[derive(Clone, Debug)]
pub struct Engine {
    /// The module.
    pub module: Vec<u8>,
    /// The script that loads it.
    pub script: Vec<u8>,
}

/// The files of a site.
///
/// The pages lie at the top; everything that they load lies in one folder that is named after the
/// version and what is in the files, so that no page can load parts of another version. Addresses are
/// relative: the folder can be put anywhere.
#[derive(Clone, Debug)]
pub struct Site {
    stamp: String,
    files: Vec<(String, Vec<u8>)>,
}

/// The files that the service worker keeps, and the digest of each.
#[derive(Serialize)]
struct Kept<'a> {
    stamp: &'a str,
    files: BTreeMap<&'a str, String>,
}

impl Site {
    /// The site with this engine. Studies are computed now, as far as the server's limits allow;
    /// `tell` is called with the name of each.
    pub fn new(
        engine: &Engine,
        config: &Config,
        mut tell: impl FnMut(&str),
    ) -> Result<Site, ServeError> {
        let server = Direct::new(config)?;
        let mut parts: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        let mut pages: BTreeMap<String, String> = BTreeMap::new();
        let mut beside: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        let web = Web::iter().filter_map(|name| Some((name.clone(), Web::get(&name)?)));
        // A module of the same name takes the place of the one that asks a server.
        let alone = Alone::iter().filter_map(|name| Some((name.clone(), Alone::get(&name)?)));
        for (name, file) in web.chain(alone) {
            let name = name.to_string();
            let bytes = file.data.into_owned();
            if name.ends_with(".html") {
                pages.insert(name, String::from_utf8(bytes).expect("pages are text"));
            } else if BESIDE.contains(&&*name) {
                beside.insert(name.clone(), bytes.clone());
                parts.insert(name, bytes);
            } else if ![".d.ts", ".md", "package.json"].iter().any(|end| name.ends_with(end)) {
                parts.insert(name, bytes);
            }
        }
        let service = parts.remove(SERVICE).expect("it is built in");
        parts.remove("server.js");
        parts.insert("sowing_bg.wasm".into(), engine.module.clone());
        parts.insert("sowing.js".into(), engine.script.clone());
        for (slug, bytes) in sowing_books::files() {
            parts.insert(format!("books/{slug}.book"), bytes.to_vec());
        }
        parts.extend(studies(&server, &mut tell));
        parts.insert("first.js".into(), first(&server).into_bytes());
        parts.insert("routes.js".into(), routes().into_bytes());
        let stamp = format!("{}-{}", env!("CARGO_PKG_VERSION"), &digest_of(&parts, &pages)[..10]);
        parts.insert("version.js".into(), version(&stamp).into_bytes());

        let mut files = Vec::new();
        let linked = |page: &str| linked(page, &stamp, |name| parts.contains_key(name));
        let pages: Vec<(String, Vec<u8>)> =
            pages.iter().map(|(name, page)| (name.clone(), linked(page).into_bytes())).collect();
        let named = parts.into_iter().map(|(name, bytes)| (format!("{stamp}/{name}"), bytes));
        files.extend(named);
        files.extend(beside);
        files.extend(pages);
        let kept = files.iter().map(|(name, bytes)| (name.as_str(), digest(bytes))).collect();
        let kept = Kept { stamp: &stamp, files: kept };
        let kept = serde_json::to_string(&kept).expect("plain data");
        let service = format!("const SITE = {kept};\n{}", String::from_utf8_lossy(&service));
        files.push(("sw.js".into(), service.into_bytes()));
        Ok(Site { stamp, files })
    }

    /// The version and a digest of all that is in it: the name of the folder of its parts.
    pub fn stamp(&self) -> &str {
        &self.stamp
    }

    /// The files, with `/` between folders, in the order in which they should be written: whatever
    /// names a file comes after it.
    pub fn files(&self) -> &[(String, Vec<u8>)] {
        &self.files
    }
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn digest_of(parts: &BTreeMap<String, Vec<u8>>, pages: &BTreeMap<String, String>) -> String {
    let parts = parts.iter().map(|(name, bytes)| (name, digest(bytes)));
    let pages = pages.iter().map(|(name, page)| (name, digest(page.as_bytes())));
    let all: Vec<_> = parts.chain(pages).collect();
    digest(serde_json::to_string(&all).expect("plain data").as_bytes())
}

/// Who answers each route: the main worker, a worker of the pool, or a file, which is the rule for other paths.
fn routes() -> String {
    let by = |route: Route| match route {
        Route::Direct(_) => Some("main"),
        Route::Analysis | Route::Review | Route::Reply | Route::Choices => Some("pool"),
        Route::Studies | Route::Study | Route::StudyTable | Route::Status => None,
    };
    let routes: BTreeMap<&str, &str> =
        ROUTES.iter().filter_map(|(path, route)| Some((*path, by(*route)?))).collect();
    format!("export default {};\n", serde_json::to_string(&routes).expect("plain data"))
}

/// The version, for the scripts.
fn version(stamp: &str) -> String {
    let books: Vec<&str> = sowing_books::files().map(|(slug, _)| slug).collect();
    let books = serde_json::to_string(&books).expect("plain data");
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "export const VERSION = \"{version}\";\nexport const STAMP = \"{stamp}\";\n\
         export const BOOKS = {books};\n"
    )
}

/// A page with its policy, its manifest, a note for readers who open it as a file, and the addresses of its parts.
fn linked(page: &str, stamp: &str, is_part: impl Fn(&str) -> bool) -> String {
    let mut text = String::new();
    for (index, piece) in page.split('"').enumerate() {
        if index > 0 {
            text.push('"');
        }
        if index % 2 == 1 && is_part(piece) {
            text.push_str(stamp);
            text.push('/');
        }
        text.push_str(piece);
    }
    let head = "<meta charset=\"utf-8\" />";
    let more = format!(
        "{head}\n    <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\" />\n    \
         <link rel=\"manifest\" href=\"manifest.webmanifest\" />\n    \
         <script defer src=\"{stamp}/opened.js\"></script>"
    );
    text.replacen(head, &more, 1)
}

/// The tables of the studies and their list, as the server answers.
fn studies(server: &Direct, tell: &mut impl FnMut(&str)) -> Vec<(String, Vec<u8>)> {
    let list = answer(server, "studies");
    let names = serde_json::from_str::<Value>(&list).ok().and_then(|list| {
        let studies = list.get("studies")?.as_array()?.clone();
        Some(
            studies
                .iter()
                .filter_map(|study| Some(study.get("name")?.as_str()?.to_string()))
                .collect(),
        )
    });
    let names: Vec<String> = names.unwrap_or_default();
    let mut files = vec![("studies.json".to_string(), list.into_bytes())];
    for name in names {
        tell(&name);
        let path = format!("studies/{name}/table");
        files.push((format!("{path}.json"), answer(server, &path).into_bytes()));
    }
    files
}

/// The first responses: the games, the start and every first move of the first game, and their analyses from the book.
fn first(server: &Direct) -> String {
    let game: Game = FIRST.parse().expect("a game");
    let start = Playthrough::new(Position::start(game));
    let asked = |moves: &str| match moves {
        "" => format!("game={}", encoded(FIRST)),
        moves => format!("game={}&moves={moves}", encoded(FIRST)),
    };
    let mut answers = BTreeMap::new();
    answers.insert("games?".to_string(), answer(server, "games"));
    let first = start.position().moves().map(|action| action.to_string());
    for moves in std::iter::once(String::new()).chain(first) {
        let query = asked(&moves);
        let position = format!("position?{query}");
        answers.insert(position.clone(), answer(server, &position));
        let findings = findings(&answer(server, &format!("analysis?{query}")));
        // A search may give other findings in the browser.
        if findings.last().is_some_and(|done| done["source"] == "book") {
            let findings = serde_json::to_string(&findings).expect("plain data");
            answers.insert(format!("analysis?{query}"), findings);
        }
    }
    format!("export default {};\n", serde_json::to_string(&answers).expect("plain data"))
}

/// As `URLSearchParams` writes it.
fn encoded(text: &str) -> String {
    text.replace('(', "%28").replace(')', "%29").replace(',', "%2C")
}

/// The data of a stream of events.
fn findings(stream: &str) -> Vec<Value> {
    let data = stream.lines().filter_map(|line| line.strip_prefix("data:"));
    data.filter_map(|data| serde_json::from_str(data.trim()).ok()).collect()
}

/// # Panics
/// If the server refuses: these paths are its own.
fn answer(server: &Direct, path: &str) -> String {
    let (status, body) = server.get(&format!("{PREFIX}{path}")).expect("an address");
    assert_eq!(status, 200, "{path}: {body}");
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn site() -> Site {
        let engine = Engine { module: b"module".to_vec(), script: b"script".to_vec() };
        let config = Config { time: Duration::from_millis(20), ..Config::default() };
        Site::new(&engine, &config, |_| {}).unwrap()
    }

    /// Every file that a page names is there, by a relative address, and in the folder of its version.
    fn pages_name_files_that_are_there(site: &Site) {
        let names: Vec<&str> = site.files().iter().map(|(name, _)| name.as_str()).collect();
        let mut pages = 0;
        for (name, bytes) in site.files().iter().filter(|(name, _)| name.ends_with(".html")) {
            let page = String::from_utf8(bytes.clone()).unwrap();
            assert!(page.contains("Content-Security-Policy"), "{name}");
            for attribute in ["src=\"", "href=\""] {
                for rest in page.split(attribute).skip(1) {
                    let address = rest.split('"').next().unwrap();
                    let page = address.split('#').next().unwrap();
                    let is_page = page == "./" || page.ends_with(".html");
                    assert!(is_page || names.contains(&address), "{name}: {address}");
                    let own = address.starts_with(site.stamp()) || BESIDE.contains(&address);
                    assert!(is_page || own, "{name}: {address}");
                }
            }
            pages += 1;
        }
        assert_eq!(pages, 6);
        assert_eq!(names.last(), Some(&"sw.js"), "it names all others");
        assert!(names.iter().all(|name| !name.starts_with('/') && !name.contains("..")));
    }

    /// A script imports only what is there.
    fn scripts_import_what_is_there(site: &Site) {
        let names: Vec<&str> = site.files().iter().map(|(name, _)| name.as_str()).collect();
        for (name, bytes) in site.files().iter().filter(|(name, _)| name.ends_with(".js")) {
            let script = String::from_utf8(bytes.clone()).unwrap();
            // Types are named in comments.
            let code = script.lines().filter(|line| !line.trim_start().starts_with(['/', '*']));
            for line in code.filter(|line| line.contains("import") || line.contains("from \"")) {
                for part in line.split('"').skip(1).step_by(2).filter(|part| part.starts_with('.'))
                {
                    let typed = part.ends_with(".d.ts");
                    assert!(typed || names.contains(&&*imported(name, part)), "{name}: {part}");
                }
            }
        }
    }

    /// The file that a script of this name imports by a relative address.
    fn imported(name: &str, address: &str) -> String {
        let mut parts: Vec<&str> = name.split('/').collect();
        parts.pop();
        for part in address.split('/').filter(|part| *part != ".") {
            if part == ".." {
                parts.pop();
            } else {
                parts.push(part);
            }
        }
        parts.join("/")
    }

    /// What is asked first is answered without an engine, in the addresses that the page asks by.
    fn the_first_view_is_prepared(site: &Site) {
        let name = format!("{}/first.js", site.stamp());
        let (_, bytes) = site.files().iter().find(|(file, _)| *file == name).unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        let json = text.strip_prefix("export default ").unwrap().trim_end().trim_end_matches(';');
        let answers: BTreeMap<String, String> = serde_json::from_str(json).unwrap();
        assert!(answers.contains_key("position?game=kalah%286%2C4%29"));
        let done: Value = serde_json::from_str(&answers["analysis?game=kalah%286%2C4%29"]).unwrap();
        let done = done.as_array().unwrap().last().unwrap();
        assert_eq!((&done["finding"], &done["value"]), (&"done".into(), &8.into()));
        assert_eq!(answers.keys().filter(|key| key.starts_with("position?")).count(), 7);
    }

    /// A site takes seconds to make, so that one is made for all three.
    #[test]
    fn a_site_is_whole() {
        let site = site();
        assert!(site.stamp().starts_with(env!("CARGO_PKG_VERSION")));
        pages_name_files_that_are_there(&site);
        scripts_import_what_is_there(&site);
        the_first_view_is_prepared(&site);
    }

    /// Another byte or another name anywhere, another stamp.
    #[test]
    fn the_stamp_tells_versions_apart() {
        let parts = |name: &str, text: &str| BTreeMap::from([(name.to_string(), text.into())]);
        let pages = |name: &str, text: &str| BTreeMap::from([(name.to_string(), text.to_string())]);
        let digests = [
            digest_of(&parts("a", "one"), &pages("b", "two")),
            digest_of(&parts("a", "One"), &pages("b", "two")),
            digest_of(&parts("a", "one"), &pages("b", "Two")),
            digest_of(&parts("A", "one"), &pages("b", "two")),
            digest_of(&parts("a", "one"), &pages("B", "two")),
        ];
        let different: std::collections::HashSet<_> = digests.iter().collect();
        assert_eq!(different.len(), digests.len());
    }
}
