import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromHex } from '../../base/hex.ts'
import { decodeHeader, encodeHeader, type Header } from '../../codec/ethereum/header.ts'
import { nitroHeader, nitroMembers } from './nitro-header.ts'

const word = new Uint8Array(32)
const header: Header = {
  parentHash: word,
  unclesHash: word,
  miner: new Uint8Array(20),
  stateRoot: word,
  transactionsRoot: word,
  receiptsRoot: word,
  logsBloom: new Uint8Array(256),
  difficulty: 1n,
  number: 22_207_818n,
  gasLimit: 1n << 50n,
  gasUsed: 0n,
  timestamp: 1_661_956_342n,
  extraData: word.with(0, 7),
  // Send count 5, block 15,447,158 of Ethereum, ArbOS 6.
  mixHash: fromHex(`0x000000000000000500000000${'00ebb476'}0000000000000006${'00'.repeat(8)}`),
  nonce: new Uint8Array(8),
  baseFeePerGas: 100_000_000n,
}

test('the fields of Nitro are read from a header as it is decoded', () => {
  assert.deepEqual(nitroMembers(decodeHeader(encodeHeader(header))), {
    l1BlockNumber: '0xebb476',
    sendCount: '0x5',
    sendRoot: `0x07${'00'.repeat(31)}`,
  })
  assert.equal(nitroHeader(header)?.collectsTips, false)
  const { mixHash } = header
  assert.equal(nitroHeader({ ...header, mixHash: mixHash.with(23, 9) })?.collectsTips, true)
  assert.equal(nitroHeader({ ...header, mixHash: mixHash.with(25, 1) })?.collectsTips, true)
})

test('headers of other chains have none', () => {
  const { baseFeePerGas: _, ...early } = header
  for (const other of [
    early,
    { ...header, difficulty: 0n },
    { ...header, extraData: new Uint8Array(9) },
    { ...header, mixHash: word },
  ]) {
    assert.equal(nitroHeader(other), null)
    assert.deepEqual(nitroMembers(other), {})
  }
})
