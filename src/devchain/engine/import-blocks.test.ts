// Independent reference: a chain made by another client, with every fork from Frontier to BPO2.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { createChainCalls } from '../../../test/fakes/chain-calls.ts'
import { openChainDatabase } from '../../../test/fakes/chain-database.ts'
import { Fault } from '../../base/fault.ts'
import { fromHex, toHex, toQuantity } from '../../base/hex.ts'
import { silentLog } from '../../base/log.ts'
import { splitBlocks } from '../../codec/ethereum/block.ts'
import { decodeHeader } from '../../codec/ethereum/header.ts'
import { decodeEntries } from '../../codec/ethereum/list.ts'
import { recoverSender } from '../../codec/ethereum/sender.ts'
import { decodeTransaction, transactionHash } from '../../codec/ethereum/transaction.ts'
import { verifyKeccakKinds } from '../../codec/hash/verify-keccak.ts'
import type { LocalStore } from '../../content/block-store.ts'
import type { SignedTransaction } from '../chain-index.ts'
import { parseGenesis } from '../../evm/genesis.ts'
import { findStart } from '../start-point.ts'
import { placeReceipts } from '../../chain/receipt-object.ts'
import { BadBlock } from './block-commit.ts'
import { Engine } from './engine.ts'

const folder = `${process.env['CAIRN_VECTORS'] ?? '../shared/vectors'}/rpc-compat`
const skip = existsSync(folder)
  ? false
  : 'this compares with data of others, which is not here: set CAIRN_VECTORS to the folder of the vectors'
const headHash = '0xd226371d0b1551adb03fb52b71f08e3e11247fe9b1af994768af8cdaa8e7dcd7'

async function open(t: TestContext, wrap = (store: LocalStore): LocalStore => store) {
  const parts = openChainDatabase(t)
  const genesis = parseGenesis(JSON.parse(readFileSync(`${folder}/genesis.json`, 'utf8')))
  const shared = { network: 'test', genesis, store: parts.store, index: parts.index }
  await findStart({ ...shared, log: parts.log })
  const reported: SignedTransaction[] = []
  const engine = await Engine.open({
    ...shared,
    store: wrap(parts.store),
    mining: 'off',
    now: () => 0,
    onBlock: (_block, signed) => void reported.push(...signed),
    onPending: () => {},
    log: silentLog,
  })
  return { ...parts, engine, reported, ...createChainCalls(shared) }
}

test('the reported senders of imported blocks match the signatures', { skip }, async (t) => {
  const { engine, reported } = await open(t)
  await engine.importFile(`${folder}/chain.rlp`)
  const entries = [...splitBlocks(readFileSync(`${folder}/chain.rlp`))].flatMap((block) =>
    decodeEntries(block.transactions),
  )
  assert.equal(reported.length, 249)
  assert.deepEqual(
    reported,
    entries.map((raw) => ({
      hash: transactionHash(raw),
      sender: recoverSender(decodeTransaction(raw)),
    })),
  )
})

test(
  '54 blocks over all forks execute to their own roots and to the known head',
  { skip },
  async (t) => {
    const { engine, call, index, store } = await open(t)
    assert.equal(await engine.importFile(`${folder}/chain.rlp`), 54)
    const head = index.head()
    assert.ok(head)
    assert.equal(toHex(head.hash), headHash)
    let transactions = 0
    for (let number = 0n; number <= 54n; number += 1n) {
      const hash = index.hashOf(number)
      assert.ok(hash)
      const bytes = store.peek({ kind: 'header', hash })
      assert.ok(bytes)
      const header = decodeHeader(bytes)
      const state = store.peek({ kind: 'trie-node', hash: header.stateRoot })
      assert.ok(state)
      verifyKeccakKinds({ kind: 'trie-node', hash: header.stateRoot }, state)
      const receipts = store.peek({ kind: 'receipts', hash: header.receiptsRoot })
      if (receipts === null) continue
      verifyKeccakKinds({ kind: 'receipts', hash: header.receiptsRoot }, receipts)
      transactions += 1
    }
    assert.ok(transactions > 0)
    assert.equal(await engine.importFile(`${folder}/chain.rlp`), 0)
    // Recorded from another client on the same chain.
    const echo = {
      to: fromHex('0x17e7eedce4ac02ef114a7ed9fe6e2f33feba1667'),
      data: fromHex('0xff01'),
    }
    assert.equal(toHex(await call(echo, head.hash)), '0xffee')
    const environment = await call(
      {
        from: fromHex('0x14e46043e63d0e3cdcf2530519f4cfaf35058cb2'),
        to: fromHex('0x9344b07175800259691961298ca11c824e65032d'),
        gas: 0xea60n,
        data: fromHex('0x333435'),
        maxFeePerGas: 0x1a21398n,
        maxPriorityFeePerGas: 0xbn,
        value: 0x17n,
      },
      head.hash,
    )
    const recorded = readFileSync(`${folder}/eth_call/call-callenv-options-eip1559.io`, 'utf8')
    assert.ok(recorded.includes(toHex(environment)))
    // The same contract under the rules of the first block, which has fewer instructions.
    const first = index.hashOf(1n)
    assert.ok(first)
    await assert.rejects(call(echo, first), /invalid opcode/)
  },
)

test(
  'an import that meets a bad block keeps what came before and goes on later',
  { skip },
  async (t) => {
    const { engine, index, folder: scratch } = await open(t)
    const whole = readFileSync(`${folder}/chain.rlp`)
    const third = [...splitBlocks(whole)][2]
    assert.ok(third)
    const bad = new Uint8Array(whole)
    // Offset of the third block's state root, to flip one bit of it.
    const at = third.header.byteOffset - whole.byteOffset + 3 + 33 + 33 + 21 + 5
    bad[at] = (bad[at] ?? 0) ^ 1
    const path = join(scratch, 'chain.rlp')
    writeFileSync(path, bad)
    await assert.rejects(engine.importFile(path), BadBlock)
    assert.equal(index.head()?.number, 2n)
    assert.equal(await engine.importFile(`${folder}/chain.rlp`), 52)
    assert.equal(toHex(index.head()?.hash ?? new Uint8Array(0)), headHash)
  },
)

test(
  'bytes that are no block end an import, which says where they are and keeps the blocks before',
  { skip },
  async (t) => {
    const { engine, index, folder: scratch } = await open(t)
    const whole = readFileSync(`${folder}/chain.rlp`)
    const { header } = [...splitBlocks(whole)][29] ?? assert.fail()
    const bad = new Uint8Array(whole)
    bad[header.byteOffset - whole.byteOffset + 3] = 0xff
    const path = join(scratch, 'chain.rlp')
    writeFileSync(path, bad)
    await assert.rejects(engine.importFile(path), {
      name: 'BadBlock',
      message: 'the file cannot be read behind its first 29 blocks',
    })
    assert.equal(index.head()?.number, 29n)
    assert.equal(await engine.importFile(`${folder}/chain.rlp`), 25)
  },
)

test(
  'a commit that fails in the middle ends the import at the last durable block, and the next goes on there',
  { skip },
  async (t) => {
    let left = 20
    const failing = (store: LocalStore): LocalStore => ({
      ...store,
      async put(items, rows) {
        left -= 1
        if (left === 0) throw new Fault('no_space')
        return store.put(items, rows)
      },
    })
    const { engine, index, reported } = await open(t, failing)
    await assert.rejects(engine.importFile(`${folder}/chain.rlp`), { code: 'no_space' })
    assert.equal(index.head()?.number, 19n)
    const before = reported.length
    assert.equal(await engine.importFile(`${folder}/chain.rlp`), 35)
    assert.equal(toHex(index.head()?.hash ?? new Uint8Array(0)), headHash)
    assert.ok(reported.length === 249 && before < 249)
  },
)

test(
  'the chain goes on after an import, also past a fork of blob parameters only',
  { skip },
  async (t) => {
    const { engine, index, store } = await open(t)
    await engine.importFile(`${folder}/chain.rlp`)
    const { number, hash } = await engine.mine()
    assert.equal(number, 55n)
    assert.deepEqual(index.head()?.hash, hash)
    const bytes = store.peek({ kind: 'header', hash })
    assert.ok(bytes)
    assert.equal(decodeHeader(bytes).excessBlobGas, 0n)
  },
)

test(
  'every transaction of the chain is traced to the gas its receipt tells, under each fork, alone and with its block',
  { skip },
  async (t) => {
    const { engine, index, store, run } = await open(t)
    await engine.importFile(`${folder}/chain.rlp`)
    const tracer = { kind: 'call', onlyTopCall: false, withLog: true } as const
    let traced = 0
    for (let number = 1n; number <= 54n; number += 1n) {
      const blockHash = index.hashOf(number) ?? assert.fail()
      const header = decodeHeader(store.peek({ kind: 'header', hash: blockHash }) ?? assert.fail())
      const receipts = store.peek({ kind: 'receipts', hash: header.receiptsRoot })
      const wanted = receipts === null ? [] : placeReceipts(decodeEntries(receipts))
      const trace = async (at: number | null) =>
        (await run({ kind: 'trace-block', block: blockHash, index: at, tracer })) as readonly {
          readonly hash: Uint8Array
          readonly result: { gasUsed: string; error?: string }
        }[]
      const all = await trace(null)
      assert.deepEqual(
        all.map(({ result }) => [result.gasUsed, result.error === undefined]),
        wanted.map(({ gasUsed, receipt }) => [toQuantity(gasUsed), receipt.status !== false]),
        `block ${number}`,
      )
      const middle = Math.floor(all.length / 2)
      const alone = all.length === 0 ? [] : await trace(middle)
      // Compared as text: printing a difference of a megabyte is slow.
      assert.ok(JSON.stringify(alone) === JSON.stringify(all.slice(middle, middle + 1)))
      traced += all.length
    }
    assert.equal(traced, 249)
  },
)
