// A started server whose embedded chain has damaged rows: existing data causes an error, never `null`.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { Wallet } from 'ethers'
import { openDatabase, type Database } from '../../src/db/sqlite.ts'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import { rpc, startCairn, temporaryFolder, type Started } from '../started-server.ts'

type Block = {
  readonly hash: string
  readonly transactions: readonly string[]
  readonly transactionsRoot: string
  readonly receiptsRoot: string
  readonly stateRoot: string
}

const bodyOf = `SELECT abs(body) FROM content WHERE kind = ? AND hash = ?`

async function send(server: Started, nonce: number): Promise<void> {
  const wallet = new Wallet(devAccounts[0]?.privateKey ?? '')
  const raw = await wallet.signTransaction({
    chainId: 1337,
    nonce,
    to: `0x${'11'.repeat(20)}`,
    value: 1,
    gasLimit: 30_000,
    // The receipts of two blocks always differ.
    data: `0x${'01'.repeat(nonce)}`,
    gasPrice: 10n ** 11n,
  })
  const { result } = await server.rpc('eth_sendRawTransaction', [raw])
  assert.ok(result)
}

/** Changes the last byte of a stored copy. */
function spoil(db: Database, kind: string, hash: string): void {
  const key = [kind, Buffer.from(hash.slice(2), 'hex')]
  const id = db.getValue<number>(bodyOf, key)
  const bytes = db.getValue<Uint8Array>('SELECT bytes FROM body WHERE id = ?', [id])
  assert.ok(bytes)
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  db.run('UPDATE body SET bytes = ? WHERE id = ?', [bytes, id])
}

function lose(db: Database, kind: string, hash: string): void {
  db.run('DELETE FROM content WHERE kind = ? AND hash = ?', [
    kind,
    Buffer.from(hash.slice(2), 'hex'),
  ])
}

const ways: readonly (readonly [
  what: string,
  calls: (block: Block) => readonly (readonly [string, ...unknown[]])[],
  damage: (db: Database, block: Block) => void,
])[] = [
  ['a header that is damaged', ofHeader, (db, { hash }) => spoil(db, 'header', hash)],
  ['a header that is missing', ofHeader, (db, { hash }) => lose(db, 'header', hash)],
  [
    'a row of the index of numbers that is missing',
    () => [
      ['eth_getBlockByNumber', '0x1', false],
      ['eth_getBlockReceipts', '0x1'],
      ['eth_getBlockTransactionCountByNumber', '0x1'],
      ['eth_getTransactionByBlockNumberAndIndex', '0x1', '0x0'],
      ['eth_getBalance', `0x${'11'.repeat(20)}`, '0x1'],
    ],
    (db) => void db.run('DELETE FROM chain_block WHERE number = 1'),
  ],
  [
    'a list of transactions that is damaged',
    ({ hash, transactions: [first] }) => [
      ['eth_getBlockByNumber', '0x1', true],
      ['eth_getBlockByHash', hash, false],
      ['eth_getBlockTransactionCountByHash', hash],
      ['eth_getTransactionByHash', first],
      ['eth_getTransactionReceipt', first],
    ],
    (db, { transactionsRoot }) => spoil(db, 'transactions', transactionsRoot),
  ],
  [
    'a list of receipts that is missing',
    ({ hash, transactions: [first] }) => [
      ['eth_getBlockReceipts', hash],
      ['eth_getTransactionReceipt', first],
    ],
    (db, { receiptsRoot }) => lose(db, 'receipts', receiptsRoot),
  ],
  [
    'a node of the state that is damaged',
    () => [
      ['eth_getBalance', `0x${'11'.repeat(20)}`, '0x1'],
      ['eth_call', { to: `0x${'11'.repeat(20)}` }, '0x1'],
    ],
    (db, { stateRoot }) => spoil(db, 'trie-node', stateRoot),
  ],
]

function ofHeader({ hash, transactions: [first] }: Block) {
  return [
    ['eth_getBlockByNumber', '0x1', false],
    ['eth_getBlockByHash', hash, false],
    ['eth_getBlockReceipts', '0x1'],
    ['eth_getBlockReceipts', hash],
    ['eth_getBlockTransactionCountByNumber', '0x1'],
    ['eth_getTransactionByBlockHashAndIndex', hash, '0x0'],
    ['eth_getTransactionByBlockNumberAndIndex', '0x1', '0x0'],
    ['eth_getTransactionByHash', first],
    ['eth_getTransactionReceipt', first],
    ['eth_getBalance', `0x${'11'.repeat(20)}`, '0x1'],
  ] as const
}

for (const [what, calls, damage] of ways) {
  test(`${what}: each call that needs it returns an error`, async () => {
    const dataDir = await temporaryFolder()
    try {
      const first = await startCairn({ dataDir })
      await send(first, 0)
      await send(first, 1)
      const { result } = await first.rpc('eth_getBlockByNumber', ['0x1', false])
      const block = result as Block
      assert.equal(block.transactions.length, 1)
      await first.stop()
      const db = openDatabase(join(dataDir, 'cairn.db'))
      damage(db, block)
      db.close()
      const second = await startCairn({ dataDir })
      try {
        for (const [method, ...params] of calls(block)) {
          const reply = await rpc(second.url, first.apiKey, method, params)
          assert.partialDeepStrictEqual(
            reply,
            { error: { code: -32603 } },
            `${method} ${JSON.stringify(reply)}`,
          )
        }
        const unknown = `0x${'ab'.repeat(32)}`
        for (const [method, ...params] of [
          ['eth_getBlockByHash', unknown, false],
          ['eth_getBlockByNumber', '0x99', false],
        ] as const) {
          assert.partialDeepStrictEqual(await rpc(second.url, first.apiKey, method, params), {
            result: null,
          })
        }
      } finally {
        await second.stop()
      }
    } finally {
      await rm(dataDir, { recursive: true })
    }
  })
}
