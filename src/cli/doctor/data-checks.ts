// Checks the database in the data folder, opened read-only, with or without a running server.
// Tested by src/cli/doctor/doctor.test.ts
import { join } from 'node:path'
import { identityPath } from '../../access/accounts/server-identity.ts'
import type { Config } from '../../config/settings.ts'
import { countQuarantined } from '../../tables/quarantine.ts'
import { usedDatabaseBytes } from '../../db/database-bytes.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { lockFolder } from '../../db/lock.ts'
import { checkIntegrity } from '../../db/integrity.ts'
import { schemaVersion } from '../../db/migrate.ts'
import { migrations } from '../../db/migrations.ts'
import { createSqliteRows } from '../../db/sqlite-rows.ts'
import { openDatabase, type Database } from '../../db/sqlite.ts'
import { segmentBytesOf, segmentsOf } from '../../server/open-content.ts'
import { checkStoredChain } from './chain-checks.ts'
import { checkSharedRows } from './database-checks.ts'
import { checkInvalidReplies } from './invalid-reply-checks.ts'
import type { Machine } from './machine.ts'
import {
  warning,
  problem,
  type CommandLine,
  type Problem,
} from '../../server/network-checks/problem.ts'

const mib = 1024 * 1024
/** Up to this size, pages and index entries are checked; above it only pages, which takes far less time. */
const thoroughBytesMax = 1024 * mib
const logBytesMax = 512 * mib

/** Does a server hold the folder? It is a kernel lock, so a dead process holds none. */
export function isRunning(machine: Machine, dataDir: string): boolean {
  if (machine.findFile(join(dataDir, 'server.lock')) === null) return false
  try {
    lockFolder(dataDir)()
    return false
  } catch {
    return true
  }
}

type Parts = {
  readonly machine: Machine
  readonly config: Config
  readonly firstHash: Uint8Array | null
  readonly command: CommandLine
}

export async function* checkData(parts: Parts): AsyncGenerator<Problem> {
  const { machine, config, command } = parts
  const path = join(config.dataDir, 'cairn.db')
  const file = machine.findFile(path)
  if (file === null) {
    if (segmentBytesOf(config.dataDir) === 0) {
      yield warning(
        'no_data_yet',
        `no data in ${config.dataDir} yet`,
        `start the server to create it: ${command('start')}; or choose another folder with --data-dir`,
      )
      return
    }
    yield problem(
      'database_gone',
      `${segmentsOf(config.dataDir)} contains content, but ${path} with the keys and pins is missing`,
      `restore it from a backup; or keep only the content: ${command('store rebuild')}`,
    )
    return
  }
  const broken = (why: string) =>
    problem(
      'database_broken',
      `${path} is damaged: ${why}`,
      `start the server, which rebuilds damaged indexes; otherwise restore a backup, or recover readable data with sqlite3 ${path} .recover`,
    )
  let db: Database | null = null
  try {
    db = openDatabase(path, { readOnly: true })
    const [damage] = checkIntegrity(db, file.bytes > thoroughBytesMax)
    if (damage === undefined) yield* checkRows(db, parts)
    else yield broken(`table ${damage.table}: ${damage.text}`)
  } catch (error) {
    yield broken(error instanceof Error ? error.message : String(error))
  } finally {
    db?.close()
  }
  const log = machine.findFile(`${path}-wal`)
  if (log !== null && log.bytes > logBytesMax) {
    const text = `${path}-wal has ${Math.floor(log.bytes / mib)} MiB: a long read prevents the checkpoint`
    yield warning('log_long', text, 'restart the server, and end long-running commands')
  }
}

async function* checkRows(db: Database, parts: Parts): AsyncGenerator<Problem> {
  const { machine, config, firstHash, command } = parts
  const version = schemaVersion(db)
  if (version > migrations.length) {
    yield problem(
      'database_newer',
      `the database has schema version ${version}, but this Cairn supports versions up to ${migrations.length}`,
      'start a newer Cairn, or restore an older backup of the folder',
    )
    return
  }
  yield* checkRoom(db, config)
  if (version < migrations.length) {
    yield warning(
      'database_older',
      `the database has schema version ${version} of ${migrations.length}: the next start migrates it permanently`,
      `cp -a ${config.dataDir} ${config.dataDir}.copy, then: ${command('start')}`,
    )
    return
  }
  yield* checkQuarantine(db, command)
  yield* checkStoredChain(db, machine, config, firstHash)
  const rows = createSqliteRows(db, createInlineWriter(db))
  yield* checkInvalidReplies(rows, config, { now: machine.clock.now(), command })
  if (config.database.url !== null) return
  yield* checkSharedRows(rows, { machine, config, command, hasKeyPair: hasKeyPair(parts) })
}

export function hasKeyPair({ machine, config }: Pick<Parts, 'machine' | 'config'>): boolean {
  return machine.findFile(identityPath(config)) !== null
}

function* checkQuarantine(db: Database, command: CommandLine): Generator<Problem> {
  const copies = countQuarantined(db)
  if (copies === 0) return
  yield problem(
    'copies_quarantined',
    `${copies === 1 ? '1 stored copy' : `${copies} stored copies`} failed verification and cannot be served`,
    `${command('store verify')} lists them with their pins; check the disk, then add these files again`,
  )
}

function* checkRoom(db: Database, { dataDir, store }: Config): Generator<Problem> {
  if (store.bytesMax === null) return
  const used = usedDatabaseBytes(db) + segmentBytesOf(dataDir)
  const share = Math.floor((used / store.bytesMax) * 100)
  const fix = `store: {bytesMax: ${store.bytesMax * 2}}`
  if (share >= 98) yield problem('store_full', `the store uses ${share} % of store.bytesMax`, fix)
  else if (share >= 85)
    yield warning('store_low', `the store uses ${share} % of store.bytesMax`, fix)
}
