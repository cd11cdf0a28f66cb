// What a command does when it receives SIGINT or SIGTERM.
// Tested by test/cli/import-pins.test.ts

/** The first SIGINT or SIGTERM runs `end`, in order; a second one ends the process. Returns how to stop listening. */
export function onInterrupt(end: () => void): () => void {
  process.once('SIGINT', end)
  process.once('SIGTERM', end)
  return () => {
    process.off('SIGINT', end)
    process.off('SIGTERM', end)
  }
}
