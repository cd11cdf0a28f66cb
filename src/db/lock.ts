// Allows one server per data folder, and one backup at a time. The lock is a file lock of the kernel, acquired through SQLite, so
// it is released however the process ends.
import { join } from 'node:path'
import { hasCode } from '../base/fault.ts'
import { openDatabase } from './sqlite.ts'

/** Acquires the folder for a server, or throws an error with its path. The returned function releases the lock. */
export function lockFolder(dataDir: string): () => void {
  return takeLock(
    join(dataDir, 'server.lock'),
    `another Cairn server is running on ${dataDir}: stop it, or choose another data folder`,
  )
}

/** As `lockFolder`, for one backup at a time; servers are not affected. */
export function lockBackups(dataDir: string): () => void {
  return takeLock(
    join(dataDir, 'backup.lock'),
    `another backup of ${dataDir} is running: try again when it has ended`,
  )
}

function takeLock(path: string, message: string): () => void {
  const db = openDatabase(path, { bare: true })
  try {
    db.exec('PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    throw hasCode(error, 'overloaded') ? new Error(message, { cause: error }) : error
  }
  return () => db.close()
}
