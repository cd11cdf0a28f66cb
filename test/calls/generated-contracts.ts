// Random contracts and calls, determined by a seed: every kind of instruction, calls among the contracts and to precompiles,
// creations, reverts. Most results depend on the remaining gas, so that a wrong price becomes visible.
import { toHex, toQuantity } from '../../src/base/hex.ts'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import { systemContracts } from '../../src/evm/system-contracts.ts'
import { noise, type Random, seeded } from '../fakes/seeded.ts'

/** Forks in the order of their activation; geth no longer runs chains of those before the merge. */
export const forks = ['paris', 'shanghai', 'cancun', 'prague', 'osaka'] as const
export type Fork = (typeof forks)[number]

const contractsMax = 20
const slotsMax = 6

export type GeneratedChain = {
  /** As in a genesis file. */
  readonly genesis: Readonly<Record<string, unknown>>
  /** Params of an eth_call at the latest block. */
  nextCall(): readonly unknown[]
}

export function generateChain(seed: number, fork: Fork): GeneratedChain {
  const random = seeded(seed)
  const known = (needed: Fork) => forks.indexOf(fork) >= forks.indexOf(needed)
  const addresses = Array.from({ length: contractsMax }, (_, index) => addressOf(0x1000 + index))
  const contracts = addresses.map((address) => [
    address,
    {
      balance: toQuantity(BigInt(random(1_000_000))),
      nonce: toQuantity(BigInt(random(3))),
      code: toHex(contract(random, addresses, known)),
      storage: Object.fromEntries(
        Array.from({ length: random(slotsMax) }, (_, slot) => [word(slot), word(random(2 ** 30))]),
      ),
    },
  ])
  return {
    genesis: {
      config: configOf(known),
      nonce: '0x0',
      timestamp: '0x6553f100',
      extraData: '0x',
      gasLimit: '0x3938700',
      difficulty: '0x0',
      mixHash: `0x${'5e'.repeat(32)}`,
      coinbase: addressOf(0xc0ffee),
      alloc: Object.fromEntries([
        ...contracts,
        ...systemContracts.map(({ address, code }) => [
          address,
          { balance: '0x0', nonce: '0x1', code },
        ]),
        ...devAccounts.map(({ address }) => [address, { balance: toQuantity(10n ** 24n) }]),
      ]) as unknown,
    },
    nextCall: () => callOf(random, addresses),
  }
}

function configOf(known: (fork: Fork) => boolean): Readonly<Record<string, unknown>> {
  const blocks = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople'].concat([
    'petersburg',
    'istanbul',
    'berlin',
    'london',
  ])
  const times = forks.slice(1).filter(known)
  const blobs = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 }
  return {
    chainId: 1337,
    ...Object.fromEntries(blocks.map((name) => [`${name}Block`, 0])),
    terminalTotalDifficulty: 0,
    ...Object.fromEntries(times.map((name) => [`${name}Time`, 0])),
    blobSchedule: { cancun: blobs, prague: blobs, osaka: blobs },
  }
}

function callOf(random: Random, addresses: readonly string[]): readonly unknown[] {
  const from = random(3) === 0 ? undefined : devAccounts[random(devAccounts.length)]?.address
  const data = toHex(noise(String(random(2 ** 30)), random(100)))
  const call = {
    ...(from && { from }),
    to: addresses[random(addresses.length)],
    data,
    ...(from && random(3) === 0 && { value: toQuantity(BigInt(random(1000))) }),
    ...(random(3) === 0 && { gas: toQuantity(BigInt(30_000 + random(2_000_000))) }),
  }
  if (random(6) > 0) return [call, 'latest']
  const overridden = addresses[random(addresses.length)] ?? ''
  const override = {
    [overridden]: { balance: toQuantity(BigInt(random(1000))), stateDiff: { [word(1)]: word(7) } },
  }
  return [call, 'latest', override]
}

const maxWord = (1n << 256n) - 1n

/** Code that returns all of its memory and the remaining gas. */
function contract(
  random: Random,
  addresses: readonly string[],
  known: (fork: Fork) => boolean,
): Uint8Array {
  const bytes: number[] = []
  const push = (value: bigint) => {
    const hex = value.toString(16)
    const text = hex.length % 2 === 1 ? `0${hex}` : hex
    bytes.push(0x5f + text.length / 2, ...Buffer.from(text, 'hex'))
  }
  const op = (...codes: readonly number[]) => void bytes.push(...codes)
  const pick = (codes: readonly number[]) => codes[random(codes.length)] ?? 0
  const number = (): bigint => {
    const kind = random(5)
    if (kind === 0) return maxWord - BigInt(random(5))
    if (kind === 1) return BigInt(random(2 ** 30)) << BigInt(random(220))
    return BigInt(random(300))
  }
  const address = (): bigint => {
    const kind = random(8)
    if (kind === 0) return BigInt(random(known('prague') ? 18 : 10))
    if (kind === 1) return BigInt(random(2 ** 30))
    if (kind === 2 && known('osaka')) return 0x100n
    return BigInt(addresses[random(addresses.length)] ?? '0x0')
  }
  /** Stores the word on the stack. */
  const keep = () => {
    push(BigInt(random(12) * 32))
    op(0x52)
  }
  const two = [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0a, 0x0b, 0x10, 0x11, 0x12, 0x13, 0x14]
  const pairs = [...two, 0x16, 0x17, 0x18, 0x1a, 0x1b, 0x1c, 0x1d]
  const singles = [0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d, 0x41, 0x42, 0x43, 0x44, 0x45]
  const plain = [...singles, 0x46, 0x47, 0x48, 0x58, 0x59, 0x5a, ...(known('cancun') ? [0x4a] : [])]
  const steps: readonly (() => void)[] = [
    () => {
      push(number())
      push(number())
      op(pick(pairs))
      keep()
    },
    () => {
      push(number())
      push(number())
      push(number())
      op(pick([0x08, 0x09]))
      keep()
    },
    () => {
      push(number())
      op(pick([0x15, 0x19, ...(known('osaka') ? [0x1e] : [])]))
      keep()
    },
    () => {
      op(pick(plain))
      keep()
    },
    () => {
      push(BigInt(random(200)))
      push(BigInt(random(64)))
      op(0x20)
      keep()
    },
    () => {
      push(address())
      op(pick([0x31, 0x3b, 0x3f]))
      keep()
    },
    () => {
      push(BigInt(random(300)))
      op(pick([0x35, 0x40, ...(known('cancun') ? [0x49] : [])]))
      keep()
    },
    () => {
      push(BigInt(random(64)))
      push(BigInt(random(64)))
      push(BigInt(random(200)))
      op(pick([0x37, 0x39, ...(known('cancun') ? [0x5e] : [])]))
    },
    () => {
      push(BigInt(random(40)))
      push(BigInt(random(40)))
      push(BigInt(random(100)))
      push(address())
      op(0x3c)
    },
    () => {
      push(BigInt(random(slotsMax)))
      op(0x54)
      keep()
    },
    () => {
      push(random(3) === 0 ? 0n : number())
      push(BigInt(random(slotsMax)))
      op(0x55)
    },
    () => {
      if (!known('cancun')) return
      push(number())
      push(BigInt(random(3)))
      op(0x5d)
      push(BigInt(random(3)))
      op(0x5c)
      keep()
    },
    () => {
      const topics = random(5)
      for (let index = 0; index < topics; index += 1) push(number())
      push(BigInt(random(64)))
      push(BigInt(random(64)))
      op(0xa0 + topics)
    },
    () => {
      const code = pick([0xf1, 0xf2, 0xf4, 0xfa])
      for (const max of [64, 64, 130, 64]) push(BigInt(random(max)))
      if (code === 0xf1 || code === 0xf2) push(random(3) === 0 ? BigInt(random(100)) : 0n)
      push(address())
      if (random(2) === 0) op(0x5a)
      else push(BigInt(random(200_000)))
      op(code)
      keep()
    },
    () => {
      // The new contract's code is a part of the memory: often invalid, sometimes valid.
      const init = random(2) === 0 ? 0x6001600c60003960016000f300n : BigInt(random(2 ** 30))
      push(init)
      push(0n)
      op(0x52)
      const isSalted = random(2) === 0
      if (isSalted) push(BigInt(random(100)))
      push(13n)
      push(19n)
      push(BigInt(random(2)))
      op(isSalted ? 0xf5 : 0xf0)
      keep()
    },
    () => {
      // Skips the next three bytes, or not.
      push(BigInt(random(2)))
      op(0x61)
      const at = bytes.length
      bytes.push(0, 0, 0x57, 0x60, random(256), 0x50, 0x5b)
      const target = bytes.length - 1
      bytes[at] = target >> 8
      bytes[at + 1] = target & 0xff
    },
  ]
  const length = 5 + random(25)
  for (let index = 0; index < length; index += 1) steps[random(steps.length)]?.()
  op(0x5a)
  keep()
  const end = random(12)
  if (end === 0) push(address())
  else {
    push(BigInt(random(400)))
    push(0n)
  }
  op(end === 0 ? 0xff : end === 1 ? 0xfd : end === 2 ? 0xfe : 0xf3)
  return new Uint8Array(bytes)
}

function addressOf(number: number): string {
  return `0x${number.toString(16).padStart(40, '0')}`
}

function word(number: number): string {
  return `0x${number.toString(16).padStart(64, '0')}`
}
