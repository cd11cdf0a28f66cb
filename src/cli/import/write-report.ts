// Writes the failures of an import to a file that is a valid list for the next run.
// Tested by test/cli/import-pins.test.ts
import { rename, rm, writeFile } from 'node:fs/promises'

/** Writes all or nothing and resolves with the path. Without lines: removes an earlier report and resolves with null. */
export async function writeReport(path: string, lines: readonly string[]): Promise<string | null> {
  if (lines.length === 0) {
    await rm(path, { force: true })
    return null
  }
  await writeFile(`${path}.new`, `${lines.join('\n')}\n`)
  await rename(`${path}.new`, path)
  return path
}
