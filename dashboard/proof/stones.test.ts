import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { keccak as keccakOfServer, keccak256 as keccak256OfServer } from '../../src/codec/keccak.ts'
import type { ProofBundle } from '../../src/gateway/proof-bundle.ts'
import { type Started, startCairn } from '../../test/started-server.ts'
import { sampleContractAddress } from '../../src/ethereum/embedded/default-genesis.ts'
import { checkAnswer } from './check-answer.ts'
import { blockStone } from './file-stones.ts'
import { keccak, keccak256 } from './keccak.ts'
import { bytesOf, stonesOf } from './stones.ts'

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

test('the hashes of the page are those of the server', () => {
  for (const length of [0, 1, 64, 65, 135, 136, 137, 1000]) {
    const bytes = new Uint8Array(length).fill(length)
    deepEqual(keccak256(bytes), new Uint8Array(keccak256OfServer(bytes)))
    for (const bits of [224, 384, 512] as const) {
      deepEqual(keccak(bits, bytes), new Uint8Array(keccakOfServer(bits, bytes)))
    }
  }
})

test('each stone of a storage slot rests on one before it, down to the hash of the block', async () => {
  const { result, proof } = await proved('eth_getStorageAt', [contract, '0x0', 'latest'])
  const hash = proof.block?.hash ?? ''
  const stones = stonesOf(proof, hash)
  ok(stones.length >= 3)
  ok(stones.every(({ isRight }) => isRight))
  equal(stones[0]?.expected, stones[0]?.hash)
  equal(stones[1]?.foundIn?.name, 'state root')
  deepEqual(await checkAnswer(proof, hash, result), {
    proved: true,
    result: JSON.stringify(result),
    sameAsTold: true,
  })
})

test('a bit that is flipped anywhere, another block and another answer are all found', async () => {
  const { result, proof } = await proved('eth_getStorageAt', [contract, '0x0', 'latest'])
  const hash = proof.block?.hash ?? ''
  const flip = (hex: string): string => hex.slice(0, -1) + (hex.endsWith('0') ? '1' : '0')
  for (const index of proof.nodes.keys()) {
    const nodes = proof.nodes.map((node, at) => (at === index ? flip(node) : node))
    const broken = { ...proof, nodes }
    ok(stonesOf(broken, hash).some(({ isRight }) => !isRight))
    equal((await checkAnswer(broken, hash, result)).proved, false)
  }
  const other = { ...proof, header: flip(proof.header ?? '') }
  equal(stonesOf(other, hash)[0]?.isRight, false)
  equal((await checkAnswer(other, hash, result)).proved, false)
  equal((await checkAnswer(proof, flip(hash), result)).proved, false)
  const lied = await checkAnswer(proof, hash, flip(String(result)))
  ok(lied.proved && !lied.sameAsTold)
})

test('a block of a file is right by the CID that names it, and wrong with a byte changed', async () => {
  const form = new FormData()
  form.append('file', new Blob(['found by hash, proved by hash, kept by hash\n']), 'a.txt')
  const authorization = `Basic ${btoa(`${cairn.apiKey}:${cairn.apiKeySecret}`)}`
  const post = (path: string, body: FormData | null = null) =>
    fetch(`${cairn.url}/api/v0/${path}`, { method: 'POST', headers: { authorization }, body })
  const added = (await (await post('add?wrap-with-directory=true', form)).text()).trim().split('\n')
  const { Hash: folder } = JSON.parse(added.at(-1) ?? '') as { Hash: string }
  const bytes = new Uint8Array(await (await post(`block/get?arg=${folder}`)).arrayBuffer())
  const stone = blockStone(folder, bytes)
  deepEqual(
    [stone.isRight, stone.links[0]?.name, stone.title],
    [true, 'a.txt', 'Node of a directory'],
  )
  const link = stone.links[0]?.cid ?? ''
  const file = new Uint8Array(await (await post(`block/get?arg=${link}`)).arrayBuffer())
  const content = blockStone(link, file).content ?? new Uint8Array()
  equal(new TextDecoder().decode(content), 'found by hash, proved by hash, kept by hash\n')
  file[file.length - 1] = (file[file.length - 1] ?? 0) ^ 1
  equal(blockStone(link, file).isRight, false)
  equal(bytesOf('0x0aff').join(), '10,255')
})
