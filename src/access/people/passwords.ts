// Password hashes: PHC strings of argon2id (RFC 9106), or of scrypt (RFC 7914) if Node lacks it. Each hash takes some 70 ms of a
// core and 64 MiB, so two run in parallel; short queues are served round-robin.
import { argon2, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { Fault } from '../../base/fault.ts'
import { createFairQueue, type QueuedCaller } from '../../base/fair-queue.ts'
import { normalizePassword } from './password-rules.ts'

export type Passwords = {
  /** Returns a PHC string with a new salt, for authenticated callers. Throws `overloaded`. */
  hash(password: string): Promise<string>
  /**
   * Does the password match `stored`, a PHC string? Null, for an unknown person, costs the same work and returns false. `caller`:
   * queue of the caller; attempts of others delay it by at most one turn. Throws `overloaded` if its queue is full.
   */
  matches(password: string, stored: string | null, caller: QueuedCaller): Promise<boolean>
}

type Derive = (password: string, salt: Uint8Array, length: number) => Promise<Uint8Array>
type Parsed = { readonly derive: Derive; readonly salt: Uint8Array; readonly hash: Uint8Array }

const concurrency = 2
/** Maximum queued attempts per caller; and of all known callers, and of all unknown ones. */
const queuedPerCallerMax = 4
const queuedMax = 32
/** Queue of callers with a link or a session. */
const authenticatedCaller: QueuedCaller = { caller: '', hasPriority: true }
const saltBytes = 16
const hashBytes = 32
/** Maximum cost of a stored string. Cairn writes the strings, but a corrupt one must not exhaust memory. */
const memoryKibMax = 1024 * 1024

/** `memory` in KiB. */
type Argon2Cost = { readonly memory: number; readonly passes: number; readonly parallelism: number }
type ScryptCost = { readonly ln: number; readonly r: number; readonly p: number }

const usualArgon2Cost: Argon2Cost = { memory: 64 * 1024, passes: 3, parallelism: 1 }
const scryptCost: ScryptCost = { ln: 16, r: 8, p: 2 }

/** `algorithm` of new passwords; default: the best that this Node supports. */
export function createPasswords(
  parts: {
    readonly algorithm?: 'argon2id' | 'scrypt'
    readonly argon2Cost?: Argon2Cost
  } = {},
): Passwords {
  const { argon2Cost = usualArgon2Cost } = parts
  const algorithm = parts.algorithm ?? (typeof argon2 === 'function' ? 'argon2id' : 'scrypt')
  const queue = createFairQueue({ concurrency, queuedPerCallerMax, queuedMax })

  async function enqueue<T>(caller: QueuedCaller, work: () => Promise<T>): Promise<T> {
    const run = queue.run(caller, work)
    if (run === null) throw new Fault('overloaded')
    return await run
  }

  /** `derive` hashes with the cost of new passwords; for the placeholder it returns random bytes. */
  async function phc(derive: (salt: Uint8Array) => Promise<Uint8Array>): Promise<string> {
    const salt = randomBytes(saltBytes)
    const tail = [base64(salt), base64(await derive(salt))]
    if (algorithm === 'scrypt') {
      const { ln, r, p } = scryptCost
      return ['', 'scrypt', `ln=${ln},r=${r},p=${p}`, ...tail].join('$')
    }
    const { memory, passes, parallelism } = argon2Cost
    return ['', 'argon2id', 'v=19', `m=${memory},t=${passes},p=${parallelism}`, ...tail].join('$')
  }

  const deriveNew = algorithm === 'scrypt' ? byScrypt(scryptCost) : byArgon2(argon2Cost)
  // Parsed at each check like a stored hash, so that the time does not reveal whether a hash exists.
  const placeholder = phc(async () => randomBytes(hashBytes))

  return {
    hash: (password) =>
      enqueue(authenticatedCaller, () =>
        phc((salt) => deriveNew(normalizePassword(password), salt, hashBytes)),
      ),
    matches: (password, stored, caller) =>
      enqueue(caller, async () => {
        const parsed = parsePhc(stored ?? (await placeholder))
        const { salt, hash: expected } = parsed
        const derived = await parsed.derive(normalizePassword(password), salt, expected.length)
        return timingSafeEqual(derived, expected) && stored !== null
      }),
  }
}

/** Throws on malformed strings, which are bugs: Cairn writes them. */
function parsePhc(text: string): Parsed {
  const parts = text.split('$').slice(1)
  const [name, ...rest] = parts[0] === 'argon2id' ? parts.toSpliced(1, 1) : parts
  const [cost = '', salt = '', hash = ''] = rest
  const of = (letter: string) =>
    Number(new RegExp(`(?:^|,)${letter}=(\\d{1,9})(?:,|$)`).exec(cost)?.[1])
  const bytes = { salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') }
  if (name === 'argon2id') {
    const costs = { memory: of('m'), passes: of('t'), parallelism: of('p') }
    if (!(costs.memory <= memoryKibMax)) throw new Error('a stored password that cannot be read')
    return { ...bytes, derive: byArgon2(costs) }
  }
  const costs = { ln: of('ln'), r: of('r'), p: of('p') }
  const isSane = name === 'scrypt' && (2 ** costs.ln * costs.r) / 8 <= memoryKibMax
  if (!isSane) throw new Error('a stored password that cannot be read')
  return { ...bytes, derive: byScrypt(costs) }
}

function byArgon2(cost: Argon2Cost): Derive {
  return (message, nonce, tagLength) =>
    new Promise((resolve, reject) => {
      argon2('argon2id', { ...cost, message, nonce, tagLength }, (error, derived) =>
        error === null ? resolve(derived) : reject(error),
      )
    })
}

function byScrypt({ ln, r, p }: ScryptCost): Derive {
  const options = { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r }
  return (password, salt, length) =>
    new Promise((resolve, reject) => {
      scrypt(password, salt, length, options, (error, derived) =>
        error === null ? resolve(derived) : reject(error),
      )
    })
}

// PHC strings have no padding.
function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '')
}
