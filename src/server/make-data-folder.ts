// Creates the data folder if it is missing.
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describeErrno } from '../base/describe-errno.ts'

/** Only its owner can read the folder and Cairn's files in it. Throws a sentence for the operator. */
export function makeDataFolder(path: string): void {
  try {
    const missing: string[] = []
    for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.unshift(at)
    // One level at a time: Node's recursive mkdir never returns where nothing can be created, such as in /proc.
    for (const step of missing) makeFolder(step)
    if (statSync(path).isDirectory()) {
      closeToOthers(path)
      return
    }
  } catch (error) {
    throw new Error(
      `cannot make the data folder ${path}: ${describeErrno(error)}; choose another folder with --data-dir`,
      { cause: error },
    )
  }
  throw new Error(`the data folder ${path} is a file; choose another folder with --data-dir`)
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process created it first.
    if (!(existsSync(path) && statSync(path).isDirectory())) throw error
  }
}

/** Cairn's own entries of the folder; the modes of an operator's files are not changed. */
const ownNames =
  /^(cairn\.db(-wal|-shm|-journal)?|(server|backup)\.lock(-journal|-wal|-shm)?|(identity|network)\.pem|store|uploads|backup-staging)$/

/** Earlier versions created files that all users of the machine could read. */
function closeToOthers(path: string): void {
  close(path, 0o700)
  for (const name of readdirSync(path)) if (ownNames.test(name)) closeAll(join(path, name))
}

function closeAll(path: string): void {
  if (!lstatSync(path).isDirectory()) {
    close(path, 0o600)
    return
  }
  close(path, 0o700)
  for (const name of readdirSync(path)) closeAll(join(path, name))
}

function close(path: string, mode: number): void {
  try {
    const now = lstatSync(path)
    if (!now.isSymbolicLink() && (now.mode & 0o077) !== 0) chmodSync(path, mode)
  } catch {
    // The file has another owner, as on a volume shared by a group, or another process removed it.
  }
}
