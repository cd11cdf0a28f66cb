// Queues wants of all accounts for the network process: accounts take turns, and the sessions of each account, one per root, are
// limited. If the queue is full, it refuses a want of the account that has the most.
// Tested by src/ipfs/network/want-queue.test.ts
import type { Clock } from '../../base/clock.ts'
import { toBareHex } from '../../base/hex.ts'

/** `root`: multihash whose providers are looked up. `cid`: bytes. `origins`: peers that a new session queries. */
export type QueuedWant = {
  readonly id: number
  readonly account: string
  readonly root: Uint8Array
  readonly cid: Uint8Array
  readonly origins: readonly string[]
}

export type WantQueueLimits = {
  /** Maximum number of waiting wants of all accounts. */
  readonly queuedMax: number
  /** Maximum number of wants sent to the process: in total, of one account, and of one session. */
  readonly sentMax: number
  readonly sentPerAccountMax: number
  readonly sentPerSessionMax: number
  readonly sessionsMax: number
  readonly sessionsPerAccountMax: number
  /** A session ends this long after its last want. */
  readonly idleMs: number
}

export const defaultWantQueueLimits: WantQueueLimits = {
  queuedMax: 4096,
  sentMax: 4096,
  sentPerAccountMax: 512,
  sentPerSessionMax: 256,
  sessionsMax: 256,
  sessionsPerAccountMax: 16,
  idleMs: 30_000,
}

export type WantQueue = {
  add(want: QueuedWant): void
  /** Call when the want was answered or dropped. Returns whether the process has the want. */
  end(id: number): boolean
  readonly waiting: number
  readonly sessions: number
}

type Session = {
  readonly number: number
  readonly key: string
  readonly account: Account
  sent: number
  stopIdle: () => void
}

/** `waiting`: by root, in the order of turns; `count`: number of waiting wants. */
type Account = {
  readonly waiting: Map<string, QueuedWant[]>
  count: number
  sent: number
  sessions: number
}

/** `open`, `shut` and `send` are forwarded to the process in this order; `refuse`: the want has failed. */
export function createWantQueue(parts: {
  readonly open: (session: number, root: Uint8Array, origins: readonly string[]) => void
  readonly shut: (session: number) => void
  readonly send: (session: number, want: QueuedWant) => void
  readonly refuse: (id: number) => void
  readonly clock: Pick<Clock, 'after'>
  readonly limits?: WantQueueLimits
}): WantQueue {
  const { open, shut, send, refuse, clock, limits = defaultWantQueueLimits } = parts
  /** Accounts with waiting wants or sessions, in the order of their turns. */
  const accounts = new Map<string, Account>()
  const sessions = new Map<string, Session>()
  /** Wants that were sent to the process. */
  const sent = new Map<number, Session>()
  const queued = new Map<number, QueuedWant>()
  let nextSession = 1

  const keyOf = ({ account, root }: QueuedWant): string => `${account} ${toBareHex(root)}`

  function accountOf(name: string): Account {
    const known = accounts.get(name)
    if (known !== undefined) return known
    const account = { waiting: new Map(), count: 0, sent: 0, sessions: 0 }
    accounts.set(name, account)
    return account
  }

  function forgetIfEmpty(name: string): void {
    const account = accounts.get(name)
    if (account?.count === 0 && account.sessions === 0) accounts.delete(name)
  }

  function close(session: Session): void {
    session.stopIdle()
    sessions.delete(session.key)
    session.account.sessions -= 1
    shut(session.number)
  }

  /** The session of that root, or a new one, which may replace an idle one. Null: the want must wait. */
  function sessionFor(key: string, account: Account, want: QueuedWant): Session | null {
    const known = sessions.get(key)
    if (known !== undefined) return known.sent < limits.sentPerSessionMax ? known : null
    const isAccountFull = account.sessions >= limits.sessionsPerAccountMax
    if (isAccountFull || sessions.size >= limits.sessionsMax) {
      const idle = [...sessions.values()].find(
        (one) => one.sent === 0 && (!isAccountFull || one.account === account),
      )
      if (idle === undefined) return null
      close(idle)
    }
    const session = { number: nextSession, key, account, sent: 0, stopIdle: () => {} }
    nextSession = (nextSession % 0xffff_ffff) + 1
    account.sessions += 1
    sessions.set(key, session)
    open(session.number, want.root, want.origins)
    return session
  }

  /** Sends one want of the account to the process. False: none can be sent. */
  function sendOne(account: Account): boolean {
    if (account.sent >= limits.sentPerAccountMax) return false
    for (const [key, wants] of account.waiting) {
      const [want] = wants
      const session = want === undefined ? null : sessionFor(key, account, want)
      if (want === undefined || session === null) continue
      wants.shift()
      account.waiting.delete(key)
      if (wants.length > 0) account.waiting.set(key, wants)
      account.count -= 1
      queued.delete(want.id)
      session.stopIdle()
      session.sent += 1
      account.sent += 1
      sent.set(want.id, session)
      send(session.number, want)
      return true
    }
    return false
  }

  function pump(): void {
    for (const [name, account] of accounts) {
      if (sent.size >= limits.sentMax) return
      if (account.count === 0 || !sendOne(account)) continue
      // Moves the account to the end, where this loop reaches it again.
      accounts.delete(name)
      accounts.set(name, account)
    }
  }

  function removeQueued(want: QueuedWant): void {
    queued.delete(want.id)
    const account = accountOf(want.account)
    const key = keyOf(want)
    const wants = account.waiting.get(key) ?? []
    wants.splice(wants.lastIndexOf(want), 1)
    account.count -= 1
    if (wants.length === 0) account.waiting.delete(key)
    forgetIfEmpty(want.account)
  }

  /** Refuses the newest want of the account that has the most waiting wants. */
  function refuseOne(): void {
    let most: Account | null = null
    for (const account of accounts.values()) {
      if (account.count > (most?.count ?? 0)) most = account
    }
    const newest = [...(most?.waiting.values() ?? [])].at(-1)?.at(-1)
    if (newest === undefined) return
    removeQueued(newest)
    refuse(newest.id)
  }

  return {
    add(want) {
      const account = accountOf(want.account)
      const key = keyOf(want)
      const others = account.waiting.get(key)
      if (others === undefined) account.waiting.set(key, [want])
      else others.push(want)
      account.count += 1
      queued.set(want.id, want)
      pump()
      if (queued.size > limits.queuedMax) refuseOne()
    },
    end(id) {
      const want = queued.get(id)
      if (want !== undefined) {
        removeQueued(want)
        return false
      }
      const session = sent.get(id)
      if (session === undefined) return false
      sent.delete(id)
      session.sent -= 1
      session.account.sent -= 1
      if (session.sent === 0) {
        session.stopIdle = clock.after(limits.idleMs, () => {
          close(session)
          forgetIfEmpty(session.key.slice(0, session.key.lastIndexOf(' ')))
          pump()
        })
      }
      pump()
      return true
    },
    get waiting() {
      return queued.size
    },
    get sessions() {
      return sessions.size
    },
  }
}
