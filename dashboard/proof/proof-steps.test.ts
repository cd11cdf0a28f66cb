import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  keccak as keccakOfServer,
  keccak256 as keccak256OfServer,
} from '../../src/codec/hash/keccak.ts'
import type { ProofBundle } from '../../src/rpc/bundles/proof-bundle.ts'
import { type Started, startCairn } from '../../test/started-server.ts'
import { sampleContractAddress } from '../../src/devchain/default-genesis.ts'
import { checkAnswer } from './check-answer.ts'
import { blockStep } from './file-steps.ts'
import { keccak, keccak256 } from './keccak.ts'
import { bytesOf, proofStepsOf } from './proof-steps.ts'

const contract = sampleContractAddress

let cairn: Started
before(async () => {
  cairn = await startCairn()
})
after(() => cairn.stop())

async function proved(
  method: string,
  params: readonly unknown[],
): Promise<{ result: unknown; proof: ProofBundle }> {
  const response = await fetch(`${cairn.url}/v3/${cairn.apiKey}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-cairn-proof': '1' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await response.json()) as { result: unknown; proof: ProofBundle }
}

test('keccak of the dashboard equals keccak of the server', () => {
  for (const length of [0, 1, 64, 65, 135, 136, 137, 1000]) {
    const bytes = new Uint8Array(length).fill(length)
    deepEqual(keccak256(bytes), new Uint8Array(keccak256OfServer(bytes)))
    for (const bits of [224, 384, 512] as const) {
      deepEqual(keccak(bits, bytes), new Uint8Array(keccakOfServer(bits, bytes)))
    }
  }
})

test('the hash of each step of a storage slot appears in an earlier step, back to the block hash', async () => {
  const { result, proof } = await proved('eth_getStorageAt', [contract, '0x0', 'latest'])
  const hash = proof.block?.hash ?? ''
  const steps = proofStepsOf(proof, hash)
  ok(steps.length >= 3)
  ok(steps.every(({ isValid }) => isValid))
  equal(steps[0]?.expected, steps[0]?.hash)
  equal(steps[1]?.foundIn?.name, 'state root')
  deepEqual(await checkAnswer(proof, hash, result), {
    proved: true,
    result: JSON.stringify(result),
    matchesReply: true,
  })
})

test('a changed bit, another block and another answer are each detected', async () => {
  const { result, proof } = await proved('eth_getStorageAt', [contract, '0x0', 'latest'])
  const hash = proof.block?.hash ?? ''
  const flip = (hex: string): string => hex.slice(0, -1) + (hex.endsWith('0') ? '1' : '0')
  for (const index of proof.nodes.keys()) {
    const nodes = proof.nodes.map((node, at) => (at === index ? flip(node) : node))
    const broken = { ...proof, nodes }
    ok(proofStepsOf(broken, hash).some(({ isValid }) => !isValid))
    equal((await checkAnswer(broken, hash, result)).proved, false)
  }
  const other = { ...proof, header: flip(proof.header ?? '') }
  equal(proofStepsOf(other, hash)[0]?.isValid, false)
  equal((await checkAnswer(other, hash, result)).proved, false)
  equal((await checkAnswer(proof, flip(hash), result)).proved, false)
  const changed = await checkAnswer(proof, hash, flip(String(result)))
  ok(changed.proved && !changed.matchesReply)
})

test('a block of a file matches its CID, and no longer matches with one byte changed', async () => {
  const form = new FormData()
  form.append('file', new Blob(['found by hash, proved by hash, kept by hash\n']), 'a.txt')
  const authorization = `Basic ${btoa(`${cairn.apiKey}:${cairn.apiKeySecret}`)}`
  const post = (path: string, body: FormData | null = null) =>
    fetch(`${cairn.url}/api/v0/${path}`, { method: 'POST', headers: { authorization }, body })
  const added = (await (await post('add?wrap-with-directory=true', form)).text()).trim().split('\n')
  const { Hash: folder } = JSON.parse(added.at(-1) ?? '') as { Hash: string }
  const bytes = new Uint8Array(await (await post(`block/get?arg=${folder}`)).arrayBuffer())
  const step = blockStep(folder, bytes)
  deepEqual([step.isValid, step.links[0]?.name, step.title], [true, 'a.txt', 'Node of a directory'])
  const link = step.links[0]?.cid ?? ''
  const file = new Uint8Array(await (await post(`block/get?arg=${link}`)).arrayBuffer())
  const content = blockStep(link, file).content ?? new Uint8Array()
  equal(new TextDecoder().decode(content), 'found by hash, proved by hash, kept by hash\n')
  file[file.length - 1] = (file[file.length - 1] ?? 0) ^ 1
  equal(blockStep(link, file).isValid, false)
  equal(bytesOf('0x0aff').join(), '10,255')
})
