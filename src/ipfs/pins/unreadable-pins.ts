// Pins of which a block is missing or cannot be read, by the rows: each pin is compared with the index, for a check of the
// whole store.
// Tested by src/cli/commands/store-verify.test.ts
import { CID } from 'multiformats/cid'
import type { Database } from '../../db/sqlite.ts'

/** `missing`: a block of it is missing, damaged or in quarantine. `hidden`: it is stored, but its account does not find it. */
export type UnreadablePin = {
  readonly account: string
  readonly cid: string
  readonly reason: 'missing' | 'hidden'
}

type Row = {
  readonly accountId: string
  readonly account: string | null
  readonly cid: Uint8Array
  readonly root: number | null
}

const incompleteSql = `SELECT DISTINCT closure.root AS root FROM closure
    LEFT JOIN block ON block.id = closure.block WHERE block.id IS NULL OR block.file <= 0
  UNION SELECT id FROM root WHERE hash IS NOT NULL
    AND blocks <> (SELECT count(*) FROM closure WHERE closure.root = root.id)`

/** `bad`: hashes of blocks whose copies were found to be wrong. In a database of an earlier version: none. */
export function* listUnreadablePins(
  db: Database,
  bad: readonly Uint8Array[],
): Generator<UnreadablePin> {
  if (db.getValue(`SELECT 1 FROM sqlite_master WHERE name = 'closure'`) === null) return
  const roots = new Set(db.all<{ root: number }>(incompleteSql).map(({ root }) => root))
  for (const root of rootsOver(db, bad)) roots.add(root)
  const whole =
    db.iterate<Row>(`SELECT pin.account_id AS accountId, account.name AS account, pin.cid AS cid,
    pin.root AS root FROM pin NOT INDEXED LEFT JOIN account ON account.id = pin.account_id`)
  for (const { accountId, account, cid, root } of whole) {
    const named = { account: account ?? accountId, cid: textOf(cid) }
    const isFound = db.getValue('SELECT 1 FROM pin WHERE account_id = ? AND cid = ?', [
      accountId,
      cid,
    ])
    if (isFound === null || account === null) yield { ...named, reason: 'hidden' }
    else if (root !== null && roots.has(root)) yield { ...named, reason: 'missing' }
  }
}

function rootsOver(db: Database, hashes: readonly Uint8Array[]): ReadonlySet<number> {
  const blocks = new Set(
    hashes.flatMap(
      (hash) => db.getValue<number>('SELECT id FROM block WHERE hash = ?', [hash]) ?? [],
    ),
  )
  const roots = new Set<number>()
  if (blocks.size === 0) return roots
  for (const { root, block } of db.iterate<{ root: number; block: number }>(
    'SELECT root, block FROM closure',
  )) {
    if (blocks.has(block)) roots.add(root)
  }
  return roots
}

/** Its bytes as hex where they are no CID: a row may be damaged. */
function textOf(cid: Uint8Array): string {
  try {
    return CID.decode(cid).toString()
  } catch {
    return `0x${Buffer.from(cid).toString('hex')}`
  }
}
