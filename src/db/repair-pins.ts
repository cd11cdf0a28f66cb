// Repairs pins with a damaged row: each is stored twice, in the table and in the index by time, and the copy that matches the rows
// of accounts and roots is valid.
// Tested by src/db/repair-pins.test.ts
import type { Database } from './sqlite.ts'
import type { Statement } from './writer.ts'

type Key = { readonly accountId: string; readonly cid: Uint8Array; readonly created: number }
type Row = Key & { readonly root: number | null }

/** If more rows are lost than this, flipped bits are not the cause. */
const repairsMax = 1000

// EXCEPT stores its rows in a temporary table of SQLite, which spills to disk when it is large.
const inTable = 'SELECT account_id AS accountId, cid, created FROM pin NOT INDEXED'
const inIndex = 'SELECT account_id AS accountId, cid, created FROM pin INDEXED BY pin_created'
// The plus signs prevent SQLite from using a search, which a damaged key would mislead.
const strangeSql = `SELECT account_id AS accountId, cid, created, root FROM pin NOT INDEXED
  WHERE (+account_id, +cid, +created) IN (${inTable} EXCEPT ${inIndex} LIMIT ${repairsMax})`

/**
 * Statements to run together: they rebuild the table's order and its indexes, then restore the rows that are valid in the index.
 * Reads all pins, so it must not run on a thread that answers requests.
 */
export function repairPins(db: Database): readonly Statement[] {
  // A single read, so that pins changed during the check are not reported as damage.
  const changes = db.together(() => {
    const lost = db.all<Key>(`${inIndex} EXCEPT ${inTable} LIMIT ${repairsMax}`)
    const strange = db.all<Row>(strangeSql).filter((row) => !fits(db, row, row.root))
    return lost.flatMap((key): Statement[] => {
      const row = strange.find((one) => isAlike(one, key) && fits(db, key, one.root))
      if (row === undefined) return []
      return [
        {
          sql: 'UPDATE pin SET account_id = ?, cid = ?, created = ? WHERE account_id = ? AND cid = ?',
          parameters: [key.accountId, key.cid, key.created, row.accountId, row.cid],
        },
      ]
    })
  })
  return [{ sql: 'REINDEX pin', parameters: [] }, ...changes]
}

/** Whether exactly two of the three columns are equal. */
function isAlike(one: Key, other: Key): boolean {
  const same = [
    one.accountId === other.accountId,
    Buffer.compare(one.cid, other.cid) === 0,
    one.created === other.created,
  ]
  return same.filter(Boolean).length === 2
}

/** Whether its account exists, and its CID ends with the multihash of its root. */
function fits(db: Database, { accountId, cid }: Key, root: number | null): boolean {
  if (db.getValue('SELECT 1 FROM account WHERE id = ?', [accountId]) === null) return false
  const hash =
    root === null ? null : db.getValue<Uint8Array>('SELECT hash FROM root WHERE id = ?', [root])
  return hash === null || Buffer.from(cid).subarray(-hash.length).equals(hash)
}
