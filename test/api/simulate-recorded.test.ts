// eth_simulateV1 compared with the replies of go-ethereum on the chain of the vectors.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { fromHex } from '../../src/base/hex.ts'
import type { SimulatedBlock } from '../../src/chain/computation.ts'
import { renderSimulatedBlock } from '../../src/chain/simulated-block-object.ts'
import { parseBlockSimulation } from '../../src/rpc/params/block-simulation.ts'
import { missingVectors } from '../fakes/chain-vectors.ts'
import { openRecordedEngine, type RecordedEngine } from '../fakes/upstream/recorded-engine.ts'
import { recordedRoots, recordedSimulations } from '../fakes/upstream/recorded-simulations.ts'

const head = fromHex('0xd226371d0b1551adb03fb52b71f08e3e11247fe9b1af994768af8cdaa8e7dcd7')
let run: RecordedEngine['run']
let hashOf: RecordedEngine['hashOf']

before(async (t) => {
  const opened = await openRecordedEngine(t as never)
  run = opened.run
  hashOf = opened.hashOf
})

for (const { name, blockStateCalls, blocks } of recordedSimulations) {
  test(name, { skip: missingVectors }, async () => {
    const { blocks: parsed } = parseBlockSimulation({ blockStateCalls }, 0)
    const asked = parsed.map((one) => ({ ...one, calls: one.calls.map(({ request }) => request) }))
    const simulation = { blocks: asked, traceTransfers: false, validation: false }
    const made = (await run({
      kind: 'simulate',
      blockHash: head,
      simulation,
    })) as readonly SimulatedBlock[]
    const shown = made.map((one) => {
      const block = renderSimulatedBlock(one, false) as { hash: string; calls: Call[] }
      return { hash: block.hash, calls: block.calls.map(summary) }
    })
    assert.deepEqual(shown, blocks)
  })
}

for (const { name, simulation, blocks } of recordedRoots) {
  test(`${name}, on any chain`, { skip: missingVectors }, async () => {
    const { blocks: parsed, ...options } = parseBlockSimulation(simulation, 0)
    const asked = parsed.map((one) => ({ ...one, calls: one.calls.map(({ request }) => request) }))
    const made = (await run({
      kind: 'simulate',
      blockHash: head,
      simulation: { ...options, blocks: asked },
    })) as readonly SimulatedBlock[]
    const shown = made.map((one) => renderSimulatedBlock(one, false))
    assert.equal(shown.length, blocks.length)
    assert.partialDeepStrictEqual(shown, blocks)
  })
}

type Call = Readonly<Record<'returnData' | 'gasUsed' | 'maxUsedGas' | 'status', string>>

function summary({ returnData, gasUsed, maxUsedGas, status }: Call) {
  assert.equal(status, '0x1')
  return [returnData, gasUsed, maxUsedGas]
}

test('a simulation can continue every block of every fork, also from a contract', async () => {
  const from = fromHex(`0xc0${'0'.repeat(38)}`)
  for (let number = 0n; number <= 54n; number += 1n) {
    const blockHash = hashOf(number)
    assert.ok(blockHash)
    const contract = fromHex(`0xcc${'0'.repeat(38)}`)
    const state = [
      { address: from, balance: 10n ** 18n },
      { address: contract, code: fromHex('0x00') },
    ]
    const request = { from: contract, to: from }
    const overrides = { state, block: {} }
    assert.ok((await run({ kind: 'call', blockHash, request, overrides })) instanceof Uint8Array)
    const calls = [request, { from, to: from }, { from, to: from, gasPrice: 10n ** 10n }]
    const late = { block: { time: 5_000n }, state: [], calls: [{ from, to: from }] }
    const blocks = [{ block: {}, state, calls }, late]
    const simulation = { blocks, traceTransfers: true, validation: false }
    const made = (await run({
      kind: 'simulate',
      blockHash,
      simulation,
    })) as readonly SimulatedBlock[]
    assert.deepEqual(
      made.map((block) => block.calls.map(({ status }) => status)),
      [[true, true, true], [true]],
    )
  }
})
