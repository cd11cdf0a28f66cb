// Hostile clients and upstreams cannot affect the proved calls of others beyond the limits.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, reader, startBehind, startCalledChain, word } from './called-chain.ts'
import { cleanUpAfter } from './clean-up.ts'
import { startRpcProxy } from './rpc-proxy.ts'

const read = (slots: number) => ({ to: reader, data: word(slots) })
const proved = (result: unknown): Answer => ({ result, verified: 'proof' })
const sender = (index: number): string => `0x${(0x5000 + index).toString(16).padStart(40, '0')}`

const scope = cleanUpAfter()
const chain = await startCalledChain(scope)
const node = await startRpcProxy(scope, chain.url)
const cairn = await startBehind(scope, chain.genesisFile, [node.url], ['verify: require'])

/** A signature of any signer; `r` and `s` beyond the curve's order would cost no recovery. */
const authorization = (index: number) => ({
  chainId: '0x0',
  address: reader,
  nonce: '0x0',
  yParity: '0x0',
  r: `0x${(0x1234567 + index).toString(16)}`,
  s: '0x99',
})

test('calls with more signers than can be recovered in one step are refused before any is', async () => {
  const list = Array.from({ length: 201 }, (_, index) => authorization(index))
  const call = { from: sender(1), ...read(1), authorizationList: list }
  const simulation = { blockStateCalls: [{ calls: [call] }] }
  for (const [method, asked] of [
    ['eth_call', call],
    ['eth_estimateGas', call],
    ['eth_createAccessList', call],
    ['debug_traceCall', call],
    ['eth_simulateV1', simulation],
  ] as const) {
    const { error, verified } = await cairn.ask(method, [asked, 'latest'])
    equal(
      error?.message,
      'execution aborted (201 authorizations would take 252 ms, at most 250 ms)',
      method,
    )
    equal(verified, 'none')
  }
  const few = { ...call, authorizationList: list.slice(0, 2) }
  equal((await cairn.ask('eth_call', [few, 'latest'])).verified, 'proof')
})

test('calls that fail at the upstream take no hints from the calls of others', async () => {
  for (let index = 0; index < 5; index += 1) {
    const { error } = await cairn.ask('eth_call', [{ from: sender(index), gas: '0x1' }, 'latest'])
    ok(error?.message.startsWith('intrinsic gas too low'))
  }
  node.forget()
  deepEqual(await cairn.ask('eth_call', [read(31), 'latest']), proved(word(496)))
  const hints = node.calls.filter(({ method }) => method === 'eth_createAccessList')
  equal(hints.length, 1)
  ok(node.calls.length < 8, JSON.stringify(node.calls))
})
