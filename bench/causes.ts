// Why a figure falls short of its goal, by the figure's name in the report. docs/benchmarks.md prints the cause
// beside each figure that is short; one that has none here stands as unexplained.

const doubleWrite =
  'content lives in SQLite: each byte is written to the log and again to the database (decision 0001)'
const rowReads =
  'blocks are read row by row from SQLite on the request thread, one statement a block'

export const causes: Readonly<Record<string, string>> = {
  'add, durable before the reply / sha256': doubleWrite,
  'cat, every block verified before it is sent / sha256': rowReads,
}
