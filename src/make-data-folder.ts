// The data folder, made where it is not there yet.
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { sayErrno } from './base/say-errno.ts'

/** Readable by its owner alone. Throws a sentence for the operator. */
export function makeDataFolder(path: string): void {
  try {
    const missing: string[] = []
    for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.unshift(at)
    // One by one: where nothing can be made, such as /proc, Node's own way to make all of them never ends.
    for (const step of missing) makeFolder(step)
    if (statSync(path).isDirectory()) return
  } catch (error) {
    throw new Error(
      `cannot make the data folder ${path}: ${sayErrno(error)}; another is named with --data-dir`,
      { cause: error },
    )
  }
  throw new Error(`the data folder ${path} is a file; another is named with --data-dir`)
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process was quicker.
    if (!(existsSync(path) && statSync(path).isDirectory())) throw error
  }
}
