// Fills the database of a started server with the data of a busy one: keys, pins, calls, people, accounts and changes. Uses SQL,
// because the API would take minutes.
import { join } from 'node:path'
import { openDatabase } from '../../src/db/sqlite.ts'
import { addUsage, type CallGroup, type LatencyAddition } from '../../src/tables/usage-additions.ts'

export const fullData = {
  keys: 10_000,
  pins: 100_000,
  requests: 1_000_000,
  people: 500,
  accounts: 500,
  changes: 2_000,
} as const

const methods = [
  'eth_call',
  'eth_getBalance',
  'eth_getLogs',
  'eth_blockNumber',
  'eth_getBlockByNumber',
  'eth_getTransactionReceipt',
  'eth_getStorageAt',
  'eth_estimateGas',
  'eth_getCode',
  'eth_sendRawTransaction',
  'eth_getTransactionCount',
  'eth_feeHistory',
] as const
const outcomes = ['ok', 'ok', 'ok', 'bad_params', 'ok', 'over_rate', 'no_upstream'] as const
const busyKeys = 20
const halfHours = 300
const halfHourMs = 1_800_000

/** `account`: receives the keys, pins and calls; its existing pin shares its blocks with the new ones. `key`: ID of a busy key. */
export function fillServer(dataDir: string, account: string): { readonly key: string } {
  const db = openDatabase(join(dataDir, 'cairn.db'))
  const now = Date.now()
  const numbers = (count: number): string =>
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`
  const id = (kind: string): string => `printf('00000000-0000-4000-8000-${kind}%011d', i)`
  try {
    db.run('BEGIN IMMEDIATE')
    db.run(
      `${numbers(fullData.keys)} INSERT INTO api_key
         (id, account_id, name, prefix, key_hash, secret_hash, created, revoked)
         SELECT ${id('a')}, ?, 'service ' || i, printf('%06x', i), randomblob(32), randomblob(32),
           ? - i * 60000, CASE WHEN i % 9 = 0 THEN ? - i END FROM n`,
      [account, now, now],
    )
    db.run(
      `${numbers(fullData.pins)} INSERT INTO pin (account_id, cid, mode, name, created, root)
         SELECT ?, unhex('01551220' || hex(randomblob(32))), 'recursive', 'report ' || i || '.pdf', ? - i * 1000,
           (SELECT root FROM pin WHERE account_id = ? LIMIT 1) FROM n`,
      [account, now, account],
    )
    db.run(
      `${numbers(fullData.people)} INSERT INTO person (id, email, name, password, created)
         SELECT ${id('b')}, 'person' || i || '@example.com', 'Person ' || i, '', ? FROM n`,
      [now],
    )
    db.run(
      `INSERT INTO membership (account_id, person_id, role, created)
         SELECT ?, id, 'member', created FROM person WHERE name LIKE 'Person %'`,
      [account],
    )
    db.run(
      `${numbers(fullData.accounts)} INSERT INTO account (id, name, created)
         SELECT ${id('c')}, 'team ' || i, ? FROM n`,
      [now],
    )
    db.run(
      `${numbers(fullData.changes)} INSERT INTO audit
         (time, actor, actor_name, account_id, action, target, target_name, changes, previous)
         SELECT ? - (${fullData.changes} - i) * 600000, ${id('b')}, 'person' || i || '@example.com', ?, 'changeKey',
           ${id('a')}, 'service ' || i, '{"unitsPerDay":' || i || '}', '{"unitsPerDay":null}' FROM n`,
      [now, account],
    )
    for (const { sql, parameters } of addUsage(callsUntil(now, account))) db.run(sql, parameters)
    db.run('COMMIT')
    return { key: keyOf(1) }
  } finally {
    db.close()
  }
}

/** A million calls within the last six days. */
function callsUntil(now: number, account: string): Parameters<typeof addUsage>[0] {
  const groups = Array.from({ length: busyKeys * halfHours }, (_, at): CallGroup => {
    const key = keyOf(1 + (at % busyKeys))
    const minute = Math.floor((now - Math.floor(at / busyKeys) * halfHourMs) / 60_000) * 60_000
    return [key, account, minute, 'rpc', 'dev', methods[at % methods.length] ?? methods[0]]
  })
  const each = Math.ceil(fullData.requests / groups.length)
  return {
    usage: groups.map((group, at) => {
      const outcome = outcomes[at % outcomes.length] ?? 'ok'
      return [...group, outcome, '', 200, each, each * 80, each * 100, each * 400]
    }),
    latencies: groups.map((group): LatencyAddition => [...group, 2, each, ...zeros]),
    verified: groups.map(([key, of, minute, , network], at) => {
      const level = at % 4 === 0 ? 'block' : 'proof'
      return [key, of, minute, network, level, each]
    }),
    transfers: [],
    keyUses: groups.map(([key, , minute]) => [key, minute]),
  }
}

function keyOf(at: number): string {
  return `00000000-0000-4000-8000-a${String(at).padStart(11, '0')}`
}

const zeros: readonly number[] = Array.from({ length: 15 }, () => 0)
