// Proof bundles of calls: `cairn verify` executes the call again with only the content of the bundle.
import { equal, match, ok } from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import type { ProofBundle } from '../../src/rpc/bundles/proof-bundle.ts'
import { runProgram } from '../../src/cli/program.ts'
import { temporaryFolder } from '../started-server.ts'
import { cleanUpAfter } from './clean-up.ts'
import {
  holder,
  proxy,
  reader,
  startBehind,
  startCalledChain,
  token,
  word,
} from './called-chain.ts'

const scope = cleanUpAfter()
let genesisFile: string
let folder: string
let prove: Awaited<ReturnType<typeof startBehind>>['prove']
const call = { to: proxy, data: word(BigInt(holder)) }

before(async () => {
  const chain = await startCalledChain(scope)
  genesisFile = chain.genesisFile
  folder = await temporaryFolder()
  ;({ prove } = await startBehind(scope, genesisFile, [chain.url]))
})

async function verify(
  reply: unknown,
  block: string,
  rules: readonly string[] = ['--genesis', genesisFile],
) {
  const file = join(folder, 'reply.json')
  await writeFile(file, JSON.stringify(reply))
  let [out, err] = ['', '']
  const status = await runProgram(['verify', file, '--block', block, ...rules], {
    out: (text) => (out += text),
    err: (text) => (err += text),
    readInput: async () => '',
    env: {},
  })
  return { status, said: out + err }
}

const proofOf = (reply: Record<string, unknown>) => reply['proof'] as ProofBundle

for (const [method, params] of [
  ['eth_call', [call, 'latest']],
  ['eth_estimateGas', [call, 'latest']],
  ['debug_traceCall', [call, 'latest', { tracer: 'callTracer' }]],
  ['debug_traceCall', [call, 'latest']],
  ['eth_call', [call, 'latest', { [token]: { balance: '0x1' } }, { time: '0x7fffffff' }]],
] as const) {
  test(`the bundle of ${method} with ${params.length} params proves its result`, async () => {
    const reply = await prove(method, params)
    const { v, block, codes } = proofOf(reply)
    equal(v, 2)
    equal(codes?.length, 3)
    const { status, said } = await verify(reply, block?.hash ?? '')
    ok(said.startsWith(`proved  ${method}`), said)
    equal(status, 0)
  })
}

test('the bundle of eth_simulateV1 proves its blocks with their state roots', async () => {
  const stateOverrides = { [reader]: { stateDiff: { [word(0)]: word(0), [word(7)]: word(0) } } }
  const simulation = { blockStateCalls: [{ stateOverrides, calls: [call] }, { calls: [call] }] }
  const reply = await prove('eth_simulateV1', [simulation, 'latest'])
  const { block, nodes } = proofOf(reply)
  const hash = block?.hash ?? ''
  const { status, said } = await verify(reply, hash)
  ok(said.startsWith('proved  eth_simulateV1'), said)
  equal(status, 0)
  const proof = { ...proofOf(reply), nodes: nodes.slice(1) }
  match((await verify({ ...reply, proof }, hash)).said, /^not proved/)
})

test('a bundle with a changed or missing part proves nothing', async () => {
  const reply = await prove('eth_call', [call, 'latest'])
  const proof = proofOf(reply)
  const hash = proof.block?.hash ?? ''
  const { nodes, codes = [] } = proof
  const changes: readonly Partial<ProofBundle>[] = [
    ...nodes.map((_, at) => ({ nodes: nodes.toSpliced(at, 1) })),
    ...codes.map((_, at) => ({ codes: codes.toSpliced(at, 1) })),
    { codes: codes.map((code) => `${code}00`) },
    { params: [{ ...call, data: word(1) }, hash] },
  ]
  for (const changed of changes) {
    const { status, said } = await verify({ ...reply, proof: { ...proof, ...changed } }, hash)
    match(said, /^not proved/)
    equal(status, 1)
  }
  const other = await verify({ ...reply, result: word(5) }, hash)
  match(other.said, /the bundle proves a different result/)
})

test('by the rules of another chain, or of none, a call is not proved', async () => {
  const reply = await prove('eth_call', [call, 'latest'])
  const hash = proofOf(reply).block?.hash ?? ''
  const { said } = await verify(reply, hash, ['--network', 'mainnet'])
  match(said, /not proved: block 0 is of a fork that Cairn does not know/)
  match(
    (await verify(reply, hash, [])).said,
    /not proved: a call follows fork rules, .*: name the network/,
  )
  match((await verify(reply, hash, ['--genesis', folder])).said, /cannot be read as a genesis file/)
})
