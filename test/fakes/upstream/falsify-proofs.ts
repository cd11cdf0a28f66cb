// Falsehoods about state: eth_getProof, eth_getCode, and reads without a proof.
import { type Hex, fromRlp, keccak256, toRlp } from 'viem'
import { toHex } from '../../../src/base/hex.ts'
import { testChain } from '../chain-facts.ts'
import { addOne, type Falsehood, flipBit, isObject, pick, type HonestReply } from './falsehood.ts'

type SlotProof = { key: string; value: string; proof: string[] }
type Proof = {
  address: string
  accountProof: string[]
  balance: string
  nonce: string
  storageHash: string
  codeHash: string
  storageProof: SlotProof[]
}

const ofProofs = ['eth_getProof']
const ofCode = ['eth_getCode']

function proofOf(result: unknown): Proof | null {
  return isObject(result) && Array.isArray(result['accountProof']) ? (result as Proof) : null
}

/** A falsehood that changes the proof in place; `change` returns false if it cannot. */
function aboutProof(
  subject: Falsehood['subject'],
  name: string,
  nature: Falsehood['nature'],
  change: (proof: Proof, reply: HonestReply) => unknown,
): Falsehood {
  return {
    subject,
    name,
    nature,
    methods: ofProofs,
    async falsify(reply) {
      const proof = proofOf(reply.result)
      if (proof === null) return undefined
      const before = JSON.stringify(proof)
      if ((await change(proof, reply)) === false) return undefined
      return JSON.stringify(proof) === before ? undefined : proof
    },
  }
}

function aboutSlot(
  subject: Falsehood['subject'],
  name: string,
  nature: Falsehood['nature'],
  change: (slot: SlotProof, proof: Proof, reply: HonestReply) => unknown,
): Falsehood {
  return aboutProof(subject, name, nature, (proof, reply) => {
    const slot = pick(reply.random, proof.storageProof)
    return slot === undefined ? false : change(slot, proof, reply)
  })
}

async function askProof(reply: HonestReply, params: readonly unknown[]): Promise<Proof | null> {
  return proofOf(await reply.honest('eth_getProof', params).catch(() => null))
}

const otherAddresses = [
  testChain.emitter,
  testChain.sender,
  '0x000f3df6d732807ef1319fb7b8bb8522d0beac02',
  testChain.feeRecipient,
]

/** Changes the value in the last node, a leaf. */
function forgeLeaf(nodes: string[], change: (value: Hex) => Hex): boolean {
  const last = nodes.at(-1)
  if (last === undefined) return false
  const items = fromRlp(last as Hex, 'hex') as readonly Hex[]
  const [path, value] = items
  if (items.length !== 2 || path === undefined || value === undefined) return false
  nodes[nodes.length - 1] = toRlp([path, change(value)])
  return true
}

function richer(leaf: Hex): Hex {
  const [nonce, balance, ...roots] = fromRlp(leaf, 'hex') as readonly Hex[]
  const more = BigInt(balance === '0x' || balance === undefined ? 0 : balance) + 1_000_000n
  const digits = more.toString(16)
  const even: Hex = `0x${digits.length % 2 === 0 ? '' : '0'}${digits}`
  return toRlp([nonce ?? '0x', even, ...roots])
}

export const falseProofs: readonly Falsehood[] = [
  aboutProof('address', 'the proof of another address', 'contradiction', async (proof, reply) => {
    const other = pick(
      reply.random,
      otherAddresses.filter((it) => it !== proof.address.toLowerCase()),
    )
    const [, slots, block] = reply.params
    const found = await askProof(reply, [other, slots, block])
    if (found === null || found.accountProof.at(-1) === proof.accountProof.at(-1)) return false
    Object.assign(proof, found, { address: proof.address })
    return true
  }),
  aboutSlot('slot', 'the proof of another slot', 'contradiction', async (slot, proof, reply) => {
    const [address, , block] = reply.params
    const next = pick(
      reply.random,
      testChain.emitterSlots.filter((it) => BigInt(it) !== BigInt(slot.key)),
    )
    const found = (await askProof(reply, [address, [next], block]))?.storageProof[0]
    // A node that is also on another path contradicts nothing.
    const known = new Set(proof.storageProof.flatMap((it) => it.proof))
    if (found === undefined || found.proof.every((node) => known.has(node))) return false
    Object.assign(slot, { value: found.value, proof: found.proof })
    return true
  }),
  aboutProof('slot', 'two slots swapped', 'odd', (proof) => {
    const [first, second] = proof.storageProof
    if (first === undefined || second === undefined) return false
    proof.storageProof.splice(0, 2, { ...second, key: first.key }, { ...first, key: second.key })
    return true
  }),
  aboutProof(
    'slot',
    'one slot left out',
    'omission',
    (proof) => proof.storageProof.pop() !== undefined,
  ),
  aboutSlot('key', 'the key echoed in capitals', 'harmless', (slot) => {
    slot.key = `0x${slot.key.slice(2).toUpperCase()}`
  }),
  aboutSlot('key', 'the key echoed short', 'harmless', (slot) => {
    slot.key = `0x${BigInt(slot.key).toString(16)}`
  }),
  aboutSlot('value', 'another value next to the proof', 'contradiction', (slot) => {
    slot.value = addOne(slot.value)
  }),
  aboutProof('value', 'another balance next to the proof', 'contradiction', (proof) => {
    proof.balance = addOne(proof.balance)
  }),
  aboutProof('value', 'another nonce next to the proof', 'contradiction', (proof) => {
    proof.nonce = addOne(proof.nonce)
  }),
  aboutProof(
    'value',
    'another storage root next to the proof',
    'contradiction',
    (proof, { random }) => {
      proof.storageHash = flipBit(random, proof.storageHash) ?? ''
    },
  ),
  aboutProof(
    'value',
    'another code hash next to the proof',
    'contradiction',
    (proof, { random }) => {
      proof.codeHash = flipBit(random, proof.codeHash) ?? ''
    },
  ),
  aboutSlot('value', 'the value with zeros in front', 'harmless', (slot) => {
    slot.value = `0x${slot.value.slice(2).padStart(64, '0')}`
  }),
  aboutProof('absence', 'an absent account without a node', 'odd', (proof) => {
    proof.accountProof = []
    for (const slot of proof.storageProof) Object.assign(slot, { value: '0x0', proof: [] })
    Object.assign(proof, { balance: '0x0', nonce: '0x0' })
  }),
  aboutSlot('absence', 'a zero without a node', 'odd', (slot) => {
    Object.assign(slot, { value: '0x0', proof: [] })
  }),
  aboutProof('absence', 'an empty storage next to the proof', 'odd', (proof) => {
    proof.storageHash = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
    for (const slot of proof.storageProof) Object.assign(slot, { value: '0x0', proof: ['0x80'] })
  }),
  aboutProof('block', 'the proof at another block', 'contradiction', async (proof, reply) => {
    const [address, slots] = reply.params
    const other = pick(reply.random, reply.chain.recorded)
    const found = await askProof(reply, [address, slots, other?.hash])
    if (found === null || found.accountProof[0] === proof.accountProof[0]) return false
    Object.assign(proof, found)
    return true
  }),
  aboutProof('nodes', 'the last account node missing', 'omission', (proof) => {
    proof.accountProof.pop()
  }),
  aboutSlot('nodes', 'the last slot node missing', 'omission', (slot) => {
    slot.proof.pop()
  }),
  aboutProof('nodes', 'every node twice, backwards', 'harmless', (proof) => {
    proof.accountProof = [...proof.accountProof, ...proof.accountProof].toReversed()
    for (const slot of proof.storageProof) slot.proof = [...slot.proof, ...slot.proof].toReversed()
  }),
  aboutProof('nodes', 'ten thousand nodes more', 'odd', (proof, { random }) => {
    for (let at = 0; at < 10_000; at += 1) {
      const filler = Math.floor(random() * 2 ** 40)
        .toString(16)
        .padStart(80, '7')
      proof.accountProof.push(toRlp([`0x20${filler}`, '0x01']))
    }
  }),
  aboutProof('nodes', 'a node of ten megabytes', 'odd', (proof) => {
    proof.accountProof.push(`0x${'c0'.repeat(10 * 1024 * 1024)}`)
  }),
  aboutProof('nodes', 'a node that leads back to the root', 'odd', (proof) => {
    const root = keccak256((proof.accountProof[0] ?? '0x80') as Hex)
    const branch = toRlp([...Array.from({ length: 16 }, () => root), '0x'])
    proof.accountProof = [...proof.accountProof.slice(0, 1), branch]
  }),
  aboutProof('nodes', 'a bit of an account node flipped', 'contradiction', (proof, { random }) => {
    const at = Math.floor(random() * proof.accountProof.length)
    const flipped = flipBit(random, proof.accountProof[at] ?? '')
    if (flipped === undefined) return false
    proof.accountProof[at] = flipped
    return true
  }),
  aboutSlot(
    'nodes',
    'a bit of a slot node flipped',
    'contradiction',
    (slot, _proof, { random }) => {
      const at = Math.floor(random() * slot.proof.length)
      const flipped = flipBit(random, slot.proof[at] ?? '')
      if (flipped === undefined) return false
      slot.proof[at] = flipped
      return true
    },
  ),
  aboutProof('value', 'a richer leaf', 'contradiction', (proof) =>
    forgeLeaf(proof.accountProof, richer),
  ),
  aboutSlot('value', 'a leaf with another word', 'contradiction', (slot) =>
    forgeLeaf(slot.proof, () => toRlp('0x0bad')),
  ),
  aboutProof('trie', 'a trie of one leaf', 'contradiction', (proof) => {
    const path: Hex = `0x20${keccak256(proof.address as Hex).slice(2)}`
    const leaf = toRlp(['0x07', '0x07', proof.storageHash as Hex, proof.codeHash as Hex])
    proof.accountProof = [toRlp([path, leaf])]
    Object.assign(proof, { balance: '0x7', nonce: '0x7' })
  }),
  aboutProof('kind', 'code in place of the nodes', 'odd', (proof, { chain }) => {
    const code = chain.recorded[1]?.view.transactions[0]?.data
    proof.accountProof = [toHex(code ?? new Uint8Array(32))]
  }),
  aboutProof('kind', 'a list of transactions in place of the nodes', 'odd', (proof, { chain }) => {
    const list = chain.recorded[3]?.parts.transactions
    proof.accountProof = [toHex(list ?? new Uint8Array(32))]
  }),
  aboutProof('nodes', 'nodes that are no text', 'odd', (proof) => {
    proof.accountProof = [null, 7, {}] as unknown as string[]
  }),
]

function aboutCode(
  subject: Falsehood['subject'],
  name: string,
  change: (code: string, reply: HonestReply) => unknown,
): Falsehood {
  return {
    subject,
    name,
    nature: 'contradiction',
    methods: ofCode,
    async falsify(reply) {
      const code = reply.result
      if (typeof code !== 'string' || code.length <= 2) return undefined
      const changed = await change(code, reply)
      return changed === code ? undefined : changed
    },
  }
}

export const falseCode: readonly Falsehood[] = [
  aboutCode('absence', 'no code', () => '0x'),
  aboutCode('kind', 'the code of another account', async (_code, { honest, params, random }) => {
    return honest('eth_getCode', [pick(random, otherAddresses), params[1]])
  }),
  aboutCode('kind', 'a bit of the code flipped', (code, { random }) => flipBit(random, code)),
  aboutCode('nodes', 'the last byte of the code missing', (code) => code.slice(0, -2)),
  aboutCode('nodes', 'a byte after the code', (code) => `${code}00`),
]

/** Reads without a proof, which proved answers must not use. */
export const falseValues: readonly Falsehood[] = [
  {
    subject: 'value',
    name: 'another plain value',
    nature: 'odd',
    methods: ['eth_getStorageAt', 'eth_getBalance', 'eth_getTransactionCount'],
    falsify: ({ result, method }) =>
      method === 'eth_getStorageAt' ? `0x${'0bad'.padStart(64, '0')}` : addOne(result),
  },
]
