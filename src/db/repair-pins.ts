// Repairs pins with a damaged row: each is stored twice, in the table and in the index by time, and the copy that
// matches the rows of accounts and roots is right.
// Tested by src/db/repair-pins.test.ts
import type { Database } from './sqlite.ts'
import type { Statement } from './writer.ts'

type Key = { readonly accountId: string; readonly cid: Uint8Array; readonly created: number }
type Row = Key & { readonly root: number | null }

/** More lost rows than this are not flipped bits. */
const repairsMax = 1000

// EXCEPT keeps its rows in a table of SQLite's own, which goes to the disk when it is large.
const inTable = 'SELECT account_id AS accountId, cid, created FROM pin NOT INDEXED'
const inIndex = 'SELECT account_id AS accountId, cid, created FROM pin INDEXED BY pin_created'
// The signs keep SQLite from a search, which goes astray on a damaged key.
const strangeSql = `SELECT account_id AS accountId, cid, created, root FROM pin NOT INDEXED
  WHERE (+account_id, +cid, +created) IN (${inTable} EXCEPT ${inIndex} LIMIT ${repairsMax})`

/**
 * To be run together: puts the table and its indexes into order again, then the rows that the index has right. Reads all
 * pins: not on a thread that answers requests.
 */
export function repairPins(db: Database): readonly Statement[] {
  // One read: pins that change during the check are not damage.
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
