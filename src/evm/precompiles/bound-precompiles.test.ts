import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Wallet } from 'ethers'
import type { TransactionRequest } from 'ethers'
import { openChainDatabase } from '../../../test/fakes/chain-database.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import { silentLog } from '../../base/log.ts'
import { decodeHeader } from '../../codec/ethereum/header.ts'
import { decodeEntries } from '../../codec/ethereum/list.ts'
import { defaultGenesis } from '../../devchain/default-genesis.ts'
import { devAccounts } from '../../devchain/dev-accounts.ts'
import { findStart } from '../../devchain/start-point.ts'
import { Engine } from '../../devchain/engine/engine.ts'

const [alice, bob, carol] = devAccounts.map(({ privateKey }) => new Wallet(privateKey)) as [
  Wallet,
  Wallet,
  Wallet,
]

async function openEngine(t: TestContext, mining: 'auto' | 'off') {
  const { store, index, log } = openChainDatabase(t)
  const genesis = defaultGenesis
  await findStart({ network: 'test', genesis, store, index, log })
  const engine = await Engine.open({
    network: 'test',
    genesis,
    store,
    index,
    mining,
    now: () => 1_800_000_000_000,
    onBlock: () => {},
    onPending: () => {},
    log: silentLog,
  })
  const mine = async () => {
    const { hash } = await engine.mine()
    const bytes = store.peek({ kind: 'header', hash })
    assert.ok(bytes)
    const header = decodeHeader(bytes)
    const list = store.peek({ kind: 'transactions', hash: header.transactionsRoot })
    assert.ok(list)
    return { header, count: decodeEntries(list).length }
  }
  return { engine, mine }
}

async function sign(wallet: Wallet, request: TransactionRequest): Promise<Uint8Array> {
  const fees = { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
  return fromHex(
    await wallet.signTransaction({ chainId: 1337, type: 2, nonce: 0, ...fees, ...request }),
  )
}

/** Writes to its storage and its transient storage, then calls BLAKE2f with 15 million rounds. */
const greedy = {
  data: `0x60015f5560015f5d63${(15_000_000).toString(16).padStart(8, '0')}60e01b5f52600160d45360405f60d55f60095afa00`,
  value: 5n,
  gasLimit: 16_500_000,
}

test('a transaction with a step that would take too long is refused, and its sender may send another', async (t) => {
  const { engine } = await openEngine(t, 'auto')
  await assert.rejects(engine.send(await sign(bob, greedy)), {
    code: 'pool_refused',
    message: 'execution aborted (precompiled contract 0x09 would take 7500 ms, at most 250 ms)',
  })
  const transfer = await sign(bob, { to: alice.address, gasLimit: 21_000 })
  assert.equal(toHex(await engine.send(transfer)).length, 66)
})

test('a block is made without such a transaction, as if it had never been sent', async (t) => {
  const roots: string[] = []
  for (const withGreedy of [false, true]) {
    const { engine, mine } = await openEngine(t, 'off')
    await engine.send(await sign(alice, { to: carol.address, value: 1n, gasLimit: 21_000 }))
    if (withGreedy) {
      await engine.send(await sign(bob, { ...greedy, maxPriorityFeePerGas: 1_500_000_000n }))
    }
    await engine.send(await sign(carol, { data: '0x60015f555f5c60015500', gasLimit: 100_000 }))
    const { header, count } = await mine()
    assert.equal(count, 2)
    roots.push(toHex(header.stateRoot))
    assert.deepEqual(await engine.poolCounts(), { pending: 0, queued: 0 })
  }
  assert.equal(roots[0], roots[1])
})
