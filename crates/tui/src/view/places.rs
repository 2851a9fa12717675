//! Where everything is on the screen.

use ratatui::layout::{Position as Point, Rect};
use sowing_rules::Side;

use crate::app::App;
use crate::motion::place;

/// The smallest screen.
pub(crate) const WIDTH: u16 = 60;
pub(crate) const HEIGHT: u16 = 24;

/// Narrower houses have no frame of their own.
pub(super) const FRAMED: u16 = 6;

/// A screen so wide has the turns beside the board, in so many columns.
const ROOMY: u16 = 100;
const SIDE: u16 = 26;

/// Where everything is on a screen that is large enough.
#[derive(Debug)]
pub(crate) struct Places {
    /// South's houses and North's, each from its owner's left.
    pub(super) rows: [Vec<Rect>; 2],
    pub(super) stores: [Rect; 2],
    /// The line with each row's values, the one with its numbers, the one with its name.
    pub(super) values: [u16; 2],
    pub(super) labels: [u16; 2],
    pub(super) names: [u16; 2],
    /// The first line below the board.
    pub(super) below: u16,
    /// The board with the lines above and below it.
    pub(super) area: Rect,
    /// Where the turns are listed, if that is beside the board.
    pub(super) side: Option<Rect>,
}

impl Places {
    /// The places for what the app shows, or `None` if the screen is too small.
    pub(crate) fn new(screen: Rect, app: &App) -> Option<Places> {
        if screen.width < WIDTH || screen.height < HEIGHT {
            return None;
        }
        let houses = u16::from(app.game().houses());
        let roomy = screen.width >= ROOMY;
        let area = Rect { width: screen.width - if roomy { SIDE } else { 0 }, ..screen };
        let side = roomy.then(|| {
            let top = screen.y + 1;
            Rect::new(area.right(), top, SIDE, screen.height - 2)
        });
        let store = match (area.width, houses) {
            (..80, _) => 6,
            (_, 7..) => 8,
            _ => 10,
        };
        let width = ((area.width - 2 * store) / houses).min(14);
        let height = ((area.height - 12) / 2).min(9);
        let all = 2 * store + houses * width;
        let left = area.x + (area.width - all) / 2;
        let top = area.y + 4 + (area.height - 12 - 2 * height) / 3;
        let row = |y: u16, backwards: bool| -> Vec<Rect> {
            let index = |i: u16| if backwards { houses - 1 - i } else { i };
            let x = |i| left + store + index(i) * width;
            (0..houses).map(|i| Rect::new(x(i), y, width, height)).collect()
        };
        let below = top + 2 * height;
        let mut places = Places {
            rows: [row(top + height, false), row(top, true)],
            stores: [
                Rect::new(left + store + houses * width, top, store, 2 * height),
                Rect::new(left, top, store, 2 * height),
            ],
            values: [below + 1, top - 2],
            labels: [below, top - 1],
            names: [below + 2, top - 3],
            below: below + 3,
            area,
            side,
        };
        if app.near() == Side::North {
            places.rows.reverse();
            places.stores.reverse();
            for lines in [&mut places.values, &mut places.labels, &mut places.names] {
                lines.reverse();
            }
        }
        Some(places)
    }

    /// The house under a point of the screen.
    pub(crate) fn house_at(&self, column: u16, row: u16) -> Option<(Side, usize)> {
        [Side::South, Side::North].into_iter().find_map(|side| {
            let houses = &self.rows[place(side)];
            let index = houses.iter().position(|house| house.contains(Point::new(column, row)))?;
            Some((side, index))
        })
    }
}
