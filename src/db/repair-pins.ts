// Pins of which a row is damaged: each is stored twice, in the table and in the index by time, and the copy that fits the
// rows of accounts and roots is right.
// Tested by src/db/repair-pins.test.ts
import type { Database } from './sqlite.ts'
import type { Statement } from './writer.ts'

type Key = { readonly accountId: string; readonly cid: Uint8Array; readonly created: number }
type Row = Key & { readonly root: number | null }

/** More lost rows than this are not flipped bits. */
const repairsMax = 1000

/** To be run together: puts the table and its indexes into order again, then the rows that the index has right. */
export function repairPins(db: Database): readonly Statement[] {
  const columns = 'account_id AS accountId, cid, created'
  const inTable = new Map<string, Row>()
  for (const row of db.iterate<Row>(`SELECT ${columns}, root FROM pin NOT INDEXED`)) {
    inTable.set(textOf(row), row)
  }
  const lost: Key[] = []
  for (const key of db.iterate<Key>(`SELECT ${columns} FROM pin INDEXED BY pin_created`)) {
    if (!inTable.delete(textOf(key)) && lost.length < repairsMax) lost.push(key)
  }
  // What is left in `inTable` is not in the index.
  const strange = [...inTable.values()].filter((row) => !fits(db, row, row.root))
  const changes = lost.flatMap((key): Statement[] => {
    const row = strange.find((one) => isAlike(one, key) && fits(db, key, one.root))
    if (row === undefined) return []
    return [
      {
        sql: 'UPDATE pin SET account_id = ?, cid = ?, created = ? WHERE account_id = ? AND cid = ?',
        parameters: [key.accountId, key.cid, key.created, row.accountId, row.cid],
      },
    ]
  })
  return [{ sql: 'REINDEX pin', parameters: [] }, ...changes]
}

function textOf({ accountId, cid, created }: Key): string {
  return `${accountId} ${Buffer.from(cid).toString('hex')} ${created}`
}

/** All but one of the three are the same. */
function isAlike(one: Key, other: Key): boolean {
  const same = [
    one.accountId === other.accountId,
    Buffer.compare(one.cid, other.cid) === 0,
    one.created === other.created,
  ]
  return same.filter(Boolean).length === 2
}

/** Its account is there, and its CID ends with the multihash of its root. */
function fits(db: Database, { accountId, cid }: Key, root: number | null): boolean {
  if (db.getValue('SELECT 1 FROM account WHERE id = ?', [accountId]) === null) return false
  const hash =
    root === null ? null : db.getValue<Uint8Array>('SELECT hash FROM root WHERE id = ?', [root])
  return hash === null || Buffer.from(cid).subarray(-hash.length).equals(hash)
}
