// The file `moved` of a data folder: its accounts and files were moved to a shared database, or a move back is incomplete. A server
// that would use them refuses to start. The table `moved_away` of a shared database does the same.
// Tested by test/cli/migrate.test.ts
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Rows } from '../db/rows.ts'
import { findMovedAway } from '../tables/moved-blocks.ts'

export type MoveMark = 'moved' | 'incomplete'

const nameOf = (dataDir: string): string => join(dataDir, 'moved')

/** Null: the folder has no mark. */
export function readMoveMark(dataDir: string): MoveMark | null {
  try {
    return readFileSync(nameOf(dataDir), 'utf8').startsWith('incomplete') ? 'incomplete' : 'moved'
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** Durable when it returns. */
export function writeMoveMark(dataDir: string, mark: MoveMark): void {
  writeFileSync(nameOf(dataDir), `${mark}\n`, { mode: 0o600, flush: true })
}

export function removeMoveMark(dataDir: string): void {
  rmSync(nameOf(dataDir), { force: true })
}

/** Throws a sentence for the operator if the accounts and files of this folder must not be used. */
export function refuseMoved(dataDir: string): void {
  const mark = readMoveMark(dataDir)
  if (mark === null) return
  const path = nameOf(dataDir)
  throw new Error(
    mark === 'moved'
      ? `the accounts and files of ${dataDir} were moved to a shared database: set database.url and objects.url, or, to go back to the state before the move, remove ${path}`
      : `accounts and files are being moved to ${dataDir} and are not complete: run cairn migrate to-folder again`,
  )
}

/** Rejects with a sentence for the operator if the rows of a shared database were moved to a folder. */
export async function refuseMovedAway(rows: Pick<Rows, 'first'>): Promise<void> {
  if ((await rows.first(findMovedAway())) === null) return
  throw new Error(
    'the accounts and files of this database were moved to a data folder: start without database.url and objects.url, or, to go back to the state before the move, drop its table moved_away',
  )
}
