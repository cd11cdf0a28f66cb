// Handles SIGINT and SIGTERM in a command.
// Tested by test/cli/import-pins.test.ts

/** The first SIGINT or SIGTERM runs `end`; a second one ends the process. Returns a function that removes the listeners. */
export function onInterrupt(end: () => void): () => void {
  process.once('SIGINT', end)
  process.once('SIGTERM', end)
  return () => {
    process.off('SIGINT', end)
    process.off('SIGTERM', end)
  }
}
