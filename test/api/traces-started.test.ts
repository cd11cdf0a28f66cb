// debug_trace… of a started server, over the wire.
import assert from 'node:assert/strict'
import test from 'node:test'
import { keccak256, Wallet } from 'ethers'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import { startCairn } from '../started-server.ts'

const alice = new Wallet(devAccounts[0]?.privateKey ?? '')

test('a mined transaction is traced by its hash, by its block, and as a call', async () => {
  const cairn = await startCairn()
  try {
    const ask = async (method: string, params: unknown[]) =>
      (await cairn.rpc(method, params)) as {
        result?: never
        error?: { code: number; message: string }
      }
    const to = devAccounts[1]?.address ?? ''
    const raw = await alice.signTransaction({
      type: 2,
      chainId: 1337,
      nonce: 0,
      to,
      value: 5,
      gasLimit: 21_000,
      maxFeePerGas: 2_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
    })
    const { result: hash } = await ask('eth_sendRawTransaction', [raw])
    const config = { tracer: 'callTracer' }
    const frame = {
      from: alice.address.toLowerCase(),
      gas: '0x5208',
      gasUsed: '0x5208',
      to: to.toLowerCase(),
      input: '0x',
      value: '0x5',
      type: 'CALL',
    }
    assert.deepEqual((await ask('debug_traceTransaction', [hash, config])).result, frame)
    const block = [{ txHash: hash, result: frame }]
    assert.deepEqual((await ask('debug_traceBlockByNumber', ['0x1', config])).result, block)
    const { result: latest } = await ask('eth_getBlockByNumber', ['latest', false])
    const { hash: blockHash } = latest as unknown as { hash: string }
    assert.deepEqual((await ask('debug_traceBlockByHash', [blockHash, config])).result, block)
    const { result: rlp } = await ask('debug_getRawBlock', [blockHash])
    assert.deepEqual((await ask('debug_traceBlock', [rlp, config])).result, block)
    const orphan = (rlp as unknown as string).replace(
      (latest as unknown as { parentHash: string }).parentHash.slice(2),
      'ab'.repeat(32),
    )
    const refusals: readonly (readonly [rlp: unknown, message: RegExp])[] = [
      [orphan, /^block 0x(ab){32} not found$/],
      ['0x', /^could not decode block: /],
      ['0xc0', /^could not decode block: /],
      // A header followed by two parts that are not a block's lists.
      [`${String(rlp).slice(0, 6)}c0`, /^could not decode block: /],
    ]
    for (const [given, message] of refusals) {
      const { error } = await ask('debug_traceBlock', [given, config])
      assert.equal(error?.code, -32000, String(given).slice(0, 20))
      assert.match(error?.message ?? '', message)
    }
    // EIP-2935: the hash of the parent block, in the slot of its number.
    const hashes = '0x0000f90827f1c53a10cb7a02335b175320002935'
    const range = await ask('debug_storageRangeAt', ['latest', 0, hashes, '0x', 5])
    const { parentHash } = latest as unknown as { parentHash: string }
    assert.deepEqual(range.result, {
      storage: { [keccak256(`0x${'00'.repeat(32)}`)]: { key: null, value: parentHash } },
      nextKey: null,
    })
    const nothingThere = await ask('debug_storageRangeAt', [blockHash, 0, to, '0x', 5])
    assert.deepEqual(nothingThere.result, { storage: null, nextKey: null })
    const badIndex = await ask('debug_storageRangeAt', [blockHash, '0x0', to, '0x', 5])
    assert.deepEqual(badIndex.error, {
      code: -32602,
      message: 'invalid argument 1: json: cannot unmarshal string into Go value of type int',
    })
    const { result: first } = await ask('debug_getRawBlock', ['earliest'])
    const ofGenesis = await ask('debug_traceBlock', [first])
    assert.deepEqual(ofGenesis.error, { code: -32000, message: 'genesis is not traceable' })
    assert.deepEqual((await ask('debug_traceTransaction', [hash])).result, {
      gas: 21_000,
      failed: false,
      returnValue: '0x',
      structLogs: [],
    })
    const call = await ask('debug_traceCall', [{ to }, 'latest', config])
    assert.partialDeepStrictEqual(call.result, { to: to.toLowerCase(), value: '0x0' })
    const nothing = await ask('debug_traceTransaction', [`0x${'12'.repeat(32)}`])
    assert.deepEqual(nothing.error, { code: -32000, message: 'transaction not found' })
    const genesis = await ask('debug_traceBlockByNumber', ['earliest'])
    assert.deepEqual(genesis.error, { code: -32000, message: 'genesis is not traceable' })
    const unknown = await ask('debug_traceTransaction', [hash, { tracer: 'muxTracer' }])
    assert.equal(unknown.error?.code, -32602)
    assert.match(unknown.error?.message ?? '', /tracer "muxTracer" is not supported/)
  } finally {
    await cairn.stop()
  }
})
