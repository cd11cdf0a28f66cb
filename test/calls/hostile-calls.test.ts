// Hostile clients and upstreams cannot affect the proved calls of others beyond the limits.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, reader, startBehind, startCalledChain, word } from './called-chain.ts'
import { startRpcProxy } from './rpc-proxy.ts'

const read = (slots: number) => ({ to: reader, data: word(slots) })
const proved = (result: unknown): Answer => ({ result, verified: 'proof' })
const sender = (index: number): string => `0x${(0x5000 + index).toString(16).padStart(40, '0')}`

test('calls that fail at the upstream take no hints from the calls of others', async (t) => {
  const chain = await startCalledChain(t)
  const node = await startRpcProxy(t, chain.url)
  const cairn = await startBehind(t, chain.genesisFile, [node.url])
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
