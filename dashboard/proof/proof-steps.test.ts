import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  keccak as keccakOfServer,
  keccak256 as keccak256OfServer,
} from '../../src/codec/hash/keccak.ts'
import { toHex } from '../../src/base/hex.ts'
import type { ProofBundle } from '../../src/rpc/bundles/proof-bundle.ts'
import { type Started, startCairn } from '../../test/started-server.ts'
import { sampleContractAddress } from '../../src/devchain/default-genesis.ts'
import * as blakeOfServer from '../../src/codec/hash/blake.ts'
import * as digestsOfServer from '../../src/codec/hash/digest.ts'
import * as blake from './blake.ts'
import * as digests from './digest.ts'
import { checkAnswer } from './check-answer.ts'
import { blockStep } from './file-steps.ts'
import { keccak, keccak256 } from './keccak.ts'
import { bytesOf, proofStepsOf } from './proof-steps.ts'

const contract = sampleContractAddress

const cairn: Started = await startCairn()
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

test('every hash function that may name a block gives the same digests in the dashboard', () => {
  deepEqual(
    [blake.blake2bBytes, blake.blake2sBytes],
    [blakeOfServer.blake2bBytes, blakeOfServer.blake2sBytes],
  )
  for (const length of [0, 1, 64, 129, 1025]) {
    const bytes = new Uint8Array(length).fill(length)
    for (const name of [
      'sha1',
      'sha256',
      'sha512',
      'sha3-224',
      'sha3-256',
      'sha3-384',
      'sha3-512',
    ]) {
      deepEqual(digests.digest(name, bytes), digestsOfServer.digest(name, bytes), name)
    }
    deepEqual(digests.shake256(bytes), new Uint8Array(digestsOfServer.shake256(bytes)))
    deepEqual(blake.blake3(bytes), blakeOfServer.blake3(bytes))
    for (const size of [20, 31, 32]) {
      deepEqual(blake.blake2s(bytes, size), blakeOfServer.blake2s(bytes, size))
      deepEqual(blake.blake2b(bytes, size * 2), blakeOfServer.blake2b(bytes, size * 2))
    }
  }
  const text = new Uint8Array(3)
  digests.writeLatin1('ÿ0', text, 1)
  deepEqual(text, new Uint8Array([0, 255, 48]))
})

test('each step of a storage slot is named by the step above it, from the block hash down to the value', async () => {
  const { result, proof } = await proved('eth_getStorageAt', [contract, '0x0', 'latest'])
  const hash = proof.block?.hash ?? ''
  const steps = proofStepsOf(proof, hash)
  ok(steps.every(({ isValid }) => isValid))
  const [header, root] = steps
  deepEqual([header?.hash, header?.parent, header?.kind], [hash, null, 'header'])
  deepEqual(
    [root?.title, root?.line, root?.parent],
    ['State tree, root', 'Named by the header as state root', 0],
  )
  const account = steps.findIndex(({ kind }) => kind === 'account')
  equal(steps[account]?.title, `Account ${contract.slice(0, 10)}…${contract.slice(-6)}`)
  const value = steps.at(-1)
  deepEqual([value?.kind, value?.title], ['value', 'Slot 0 = 1,234'])
  for (const { parent, depth, bytes } of steps.slice(1)) {
    const above = steps[parent ?? -1]
    equal(depth, (above?.depth ?? 0) + 1)
    ok(toHex(above?.bytes ?? new Uint8Array()).includes(toHex(keccak256(bytes)).slice(2)))
  }
  deepEqual(await checkAnswer(proof, hash, result), {
    proved: true,
    result: JSON.stringify(result),
    matchesReply: true,
  })
})

test('a piece that the page has changed is shown in its place, one of the server at the end', async () => {
  const { proof } = await proved('eth_getStorageAt', [contract, '0x0', 'latest'])
  const hash = proof.block?.hash ?? ''
  const last = proof.nodes.length - 1
  const nodes = proof.nodes.map((node, at) => (at === last ? flip(node) : node))
  const shown = proofStepsOf({ ...proof, nodes }, hash, { intact: proof })
  const whole = proofStepsOf(proof, hash)
  deepEqual(
    shown.map(({ depth, isValid }) => [depth, isValid]),
    whole.map(({ depth }, at) => [depth, at < whole.length - 1]),
  )
  equal(shown.at(-1)?.line, `Step ${whole.length - 1} names another hash`)
  equal(shown.at(-1)?.expected, whole.at(-1)?.hash)
  const received = proofStepsOf({ ...proof, nodes }, hash).at(-1)
  deepEqual([received?.isValid, received?.line], [false, 'No step names this hash'])
})

test('pieces in any order give the same tree, and those that lead nowhere can be left out', async () => {
  const { proof } = await proved('eth_getStorageAt', [contract, '0x0', 'latest'])
  const hash = proof.block?.hash ?? ''
  const more = { ...proof, nodes: ['0x1234', ...proof.nodes.toReversed()] }
  const options = { withUnused: false }
  deepEqual(proofStepsOf(more, hash, options), proofStepsOf(proof, hash))
  equal(proofStepsOf(more, hash).at(-1)?.title, 'Bytes')
})

test('a leaf of another account or slot that proves an absence has no name of what was asked for', async () => {
  const absent = `0x${'ab'.repeat(20)}`
  const account = await proved('eth_getBalance', [absent, 'latest'])
  const slot = await proved('eth_getStorageAt', [contract, '0x1234', 'latest'])
  for (const { proof, result } of [account, slot]) {
    equal(BigInt(String(result)), 0n)
    const steps = proofStepsOf(proof, proof.block?.hash ?? '')
    ok(steps.every(({ isValid }) => isValid))
    ok(!steps.some(({ kind, title }) => kind === 'value' || title.includes('0xabab')))
  }
})

test('the step of code has the name of its account', async () => {
  const code = await proved('eth_getCode', [contract, 'latest'])
  const last = proofStepsOf(code.proof, code.proof.block?.hash ?? '').at(-1)
  equal(last?.kind, 'code')
  equal(last?.title, `Code of ${contract.slice(0, 10)}…${contract.slice(-6)}`)
})

test('a changed bit, another block and another answer are each detected', async () => {
  const { result, proof } = await proved('eth_getStorageAt', [contract, '0x0', 'latest'])
  const hash = proof.block?.hash ?? ''
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

function flip(hex: string): string {
  return hex.slice(0, -1) + (hex.endsWith('0') ? '1' : '0')
}
