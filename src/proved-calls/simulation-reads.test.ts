// What a simulation reads for certain is known before it runs.
import { deepEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { fromHex, toHex } from '../base/hex.ts'
import type { Header } from '../codec/ethereum/header.ts'
import { simulationReads } from './simulation-reads.ts'

const word = (value: number) => fromHex(value.toString(16).padStart(64, '0'))
const address = (byte: number) => new Uint8Array(20).fill(byte)

const header = {
  number: 8_192n,
  timestamp: 8_191n * 5n,
  parentBeaconBlockRoot: word(1),
  requestsHash: word(2),
} as Header

test('the accounts that a simulation names, and the slots that the protocol writes in each of its blocks', () => {
  const storageKeys = [word(4)]
  const reads = simulationReads(header, {
    blocks: [
      {
        block: { feeRecipient: address(1) },
        state: [{ address: address(2), stateDiff: [{ slot: word(3), word: word(9) }] }],
        calls: [{ to: address(3), accessList: [{ address: address(2), storageKeys }] }],
      },
      { block: { number: 8_195n }, state: [], calls: [] },
    ],
    traceTransfers: false,
    validation: false,
  })
  const slots = Object.fromEntries(
    reads.map(({ address: name, storageKeys: keys }) => [
      toHex(name),
      keys.map((key) => Number(toHex(key))),
    ]),
  )
  const queue = [0, 1, 2, 3]
  deepEqual(slots, {
    [toHex(address(1))]: [],
    [toHex(address(2))]: [3, 4],
    [toHex(address(0))]: [],
    [toHex(address(3))]: [],
    '0x000f3df6d732807ef1319fb7b8bb8522d0beac02': [12, 8_203, 24, 8_215, 36, 8_227],
    '0x0000f90827f1c53a10cb7a02335b175320002935': [1, 2, 3],
    '0xfffffffffffffffffffffffffffffffffffffffe': [],
    '0x00000961ef480eb55e80d19ad83579a64c007002': queue,
    '0x0000bbddc7ce488642fb579f8b00f3a590007251': queue,
  })
})

test('before Cancun the protocol reads nothing, and blocks out of order are refused', () => {
  const { parentBeaconBlockRoot: _, requestsHash: __, ...earlier } = header
  const simulated = (number: bigint) => ({
    blocks: [{ block: { number }, state: [], calls: [] }],
    traceTransfers: false,
    validation: false,
  })
  deepEqual(simulationReads(earlier as Header, simulated(8_193n)), [])
  throws(() => simulationReads(header, simulated(8_192n)), /block numbers must be in order/)
})
