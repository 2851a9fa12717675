// What the lessons say. Positions are South's, who is to move.

/** @import { Legal } from "./types.js" */
/**
 * What is asked, what is right (these houses, or any move that does this), and what is said then. A step without a start
 * goes on from the one before.
 * @typedef {{ start?: string, game?: string, ask: string, moves: string[] | "any" | "again" | "capture", right: string, wrong?: string }} Step
 */
/** @typedef {{ name: string, title: string, game: string, steps: Step[] }} Lesson */

/** @param {Step} step @param {Legal} legal */
export function accepts({ moves }, legal) {
  if (moves === "any") return true;
  if (moves === "again") return legal.again;
  if (moves === "capture") return legal.captures > 0;
  return moves.includes(legal.move);
}

/** @type {Lesson[]} */
export const LESSONS = [
  {
    name: "minute",
    title: "In a minute",
    game: "kalah(6,4)",
    steps: [
      {
        start: "4,4,4,4,4,4,0|4,4,4,4,4,4,0",
        ask: "The row with the bright edge is yours, and so is the store marked South. Sow house 4: its seeds go one by one towards that store.",
        moves: ["4"],
        right: "One seed in each pit, your store included, and round the corner into the other row. Then North moves.",
        wrong: "House 4 is the one with the small 4.",
      },
      {
        start: "4,4,4,4,4,4,0|4,4,4,4,4,4,0",
        ask: "Now find the house whose last seed falls just into your store.",
        moves: "again",
        right: "The last seed fell into your store, so you move again.",
        wrong: "Count: its last seed must fall into the store.",
      },
      {
        start: "0,0,0,1,0,0,20|3,5,0,0,0,0,19",
        ask: "Here is a capture: let the last seed fall into an empty house of yours.",
        moves: ["4"],
        right:
          "It lay alone, opposite a house with seeds: both went to your store. Your row is empty now, so the game is over, and North keeps what is left in the other row.",
      },
    ],
  },
  {
    name: "again",
    title: "Again",
    game: "kalah(6,4)",
    steps: [
      {
        start: "4,0,0,0,2,1,0|1,1,1,1,1,1,0",
        ask: "A last seed in your store is a free move. Two houses do that here: play the one nearer to the store first.",
        moves: ["6"],
        right: "House 6 is empty now, ready to be filled.",
        wrong: "If house 5 goes first, house 6 has two seeds and overshoots.",
      },
      { ask: "Again.", moves: ["5"], right: "House 6 has a seed again." },
      {
        ask: "And once more.",
        moves: ["6"],
        right: "Three moves for one. From the store outwards: that is the rule of thumb.",
      },
    ],
  },
  {
    name: "capture",
    title: "Capture",
    game: "kalah(6,4)",
    steps: [
      {
        start: "1,0,0,0,2,2,13|0,0,1,0,6,2,21",
        ask: "North has collected six seeds in one house. Take them: end in the empty house opposite.",
        moves: ["1"],
        right: "Seven seeds for one move: the six, and the one that took them.",
        wrong: "Look for a last seed in an empty house of yours that faces the six.",
      },
      {
        start: "13,0,0,0,0,0,5|1,2,1,1,1,5,19",
        ask: "Thirteen seeds go all the way round. Where does the last one fall?",
        moves: ["1"],
        right: "Into the house where they began, which was empty: a capture from the far end.",
      },
    ],
  },
  {
    name: "hoard",
    title: "Hoarding",
    game: "kalah(6,4)",
    steps: [
      {
        start: "1,0,0,0,0,7,20|0,0,0,0,0,1,19",
        ask: "When a row is empty the game is over, and what lies in the other row is its owner\u2019s. North has one move left. Which house should you keep?",
        moves: ["1"],
        right: "North must play the last seed, North\u2019s row is empty, and your seven stay yours.",
        wrong: "That would hand seeds over to North.",
      },
    ],
  },
  {
    name: "starve",
    title: "Starving",
    game: "kalah(6,4)",
    steps: [
      {
        start: "0,1,0,5,4,3,12|0,0,0,4,0,0,19",
        ask: "End the game now, while your row is full: take the last seeds that North has.",
        moves: ["2"],
        right: "North\u2019s row is empty, the game is over, and the twelve seeds in your row are yours.",
        wrong: "North still has something to play then.",
      },
    ],
  },
  {
    name: "chain",
    title: "Chains",
    game: "kalah(6,4)",
    steps: [
      {
        start: "4,0,4,2,2,1,0|1,1,1,1,1,1,29",
        ask: "Nine seeds wait in houses 3 to 6, and all of them can come home in this turn. Always play the house nearest to the store that just reaches it.",
        moves: ["6"],
        right: "Yes.",
        wrong: "There is one nearer to the store.",
      },
      { ask: "Which next?", moves: ["5"], right: "Yes." },
      { ask: "And next?", moves: ["6"], right: "Yes." },
      { ask: "Now look further out.", moves: ["3"], right: "Four seeds, and the last one just reaches the store." },
      { ask: "From the store outwards again.", moves: ["6"], right: "Yes." },
      { ask: "Next?", moves: ["4"], right: "Yes." },
      { ask: "Nearly home.", moves: ["6"], right: "Yes." },
      { ask: "Two more.", moves: ["5"], right: "Yes." },
      {
        ask: "The last one.",
        moves: ["6"],
        right: "Nine seeds in nine moves. The solitaire Tchoukaillon is made of nothing else.",
      },
    ],
  },
  {
    name: "relay",
    title: "Relay",
    game: "s-kalaha(6,3)",
    steps: [
      {
        start: "3,3,3,3,3,3,0|3,3,3,3,3,3,0",
        ask: "This is S-Kalaha. A last seed in a house with seeds picks them all up and sows on. Play any house and watch.",
        moves: "any",
        right: "It went on until a last seed fell into an empty house or into the store. Nothing is captured here.",
      },
      {
        start: "3,3,3,3,3,3,0|3,3,3,3,3,3,0",
        ask: "Find a house whose chain ends in your store. Point at a house, or move to it with the Tab key, to see where it ends.",
        moves: "again",
        right: "Your store again, and you move once more.",
        wrong: "That chain ends in an empty house.",
      },
    ],
  },
];
