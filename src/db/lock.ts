// One server per data folder. The lock is a file lock of the kernel, held through SQLite, so it is released when the
// process ends in any way.
import { join } from 'node:path'
import { hasCode } from '../base/fault.ts'
import { openDatabase } from './sqlite.ts'

/** Takes the folder, or throws an error that names it. The returned function gives it back. */
export function lockFolder(dataDir: string): () => void {
  const db = openDatabase(join(dataDir, 'server.lock'), { bare: true })
  try {
    db.exec('PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (!hasCode(error, 'overloaded')) throw error
    throw new Error(
      `another Cairn server is running on ${dataDir}: stop it, or choose another data folder`,
      { cause: error },
    )
  }
  return () => db.close()
}
