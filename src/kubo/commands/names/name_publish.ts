// `name/publish`: signs a record for a path with a stored key, stores and publishes it. Without the network, this server still
// stores and serves the record, so `allow-offline` is not needed.
// Tested by src/kubo/commands/names/names.test.ts
import type { FetchPolicy } from '../../../ipfs/files.ts'
import { parseNamePath, parsePath } from '../../../ipfs/read/path.ts'
import type { IpnsName } from '../../../codec/ipld/ipns-name.ts'
import {
  type KuboCommand,
  type OptionValues,
  failed,
  flag,
  integer,
  text,
  valueOf,
} from '../../kubo-command.ts'
import { fetchPolicyOf } from '../../params/file-options.ts'
import {
  type NameCommandDeps,
  durationOf,
  keystoreOf,
  ipnsBase,
  isOffline,
  namePrinter,
  publishOptions,
} from '../../params/ipns-options.ts'
import { goDuration } from '../../replies/go-text.ts'

type PublishInput = {
  readonly path: string
  readonly key: string
  readonly resolve: boolean
  readonly lifetimeMs: number
  readonly ttlMs: number
  readonly sequence: bigint | null
  readonly compatible: boolean
  readonly offline: boolean
  readonly quieter: boolean
  readonly patience: FetchPolicy
  readonly print: (name: IpnsName) => string
}

const declared = {
  key: text('key', { alias: 'k', default: 'self' }),
  resolve: flag('resolve', { default: true }),
  lifetime: text('lifetime', { alias: 't' }),
  ttl: text('ttl'),
  quieter: flag('quieter', { alias: 'Q' }),
  v1compat: flag('v1compat', { default: true }),
  ...publishOptions,
  sequence: integer('sequence', { type: 'uint64', default: null }),
  ipnsBase,
}

const usualLifetimeMs = 48 * 3_600_000
const usualTtlMs = 5 * 60_000
/** A year, so that abandoned names expire. */
const lifetimeMsMax = 366 * 86_400_000

export function createNamePublish(parts: NameCommandDeps): KuboCommand<PublishInput> {
  return {
    name: 'name/publish',
    class: 'write',
    argument: { name: 'ipfs-path', required: true },
    body: 'lines',
    options: Object.values(declared),
    parse({ args: [path = ''], options }) {
      const offline = isOffline(options)
      return {
        path: publishedPath(path),
        key: valueOf(options, declared.key),
        resolve: valueOf(options, declared.resolve),
        ...timesOf(options),
        sequence: valueOf(options, declared.sequence),
        compatible: valueOf(options, declared.v1compat),
        offline,
        quieter: valueOf(options, declared.quieter),
        patience: fetchPolicyOf(options),
        print: namePrinter(options),
      }
    },
    async run(input, { caller, files, signal }) {
      const keys = keystoreOf(parts)
      const { path, offline, quieter, print, patience } = input
      if (input.resolve) await files.resolveNode(path, patience, signal)
      const { name } = await keys.publish(caller.accountId, input, { offline }, signal)
      const shown = print(name)
      return {
        kind: 'object',
        value: { Name: shown, Value: path },
        text: () => (quieter ? `${shown}\n` : `Published to ${shown}: ${path}\n`),
      }
    },
  }
}

function timesOf(options: OptionValues): { readonly lifetimeMs: number; readonly ttlMs: number } {
  const lifetimeMs = durationOf(options, declared.lifetime.name) ?? usualLifetimeMs
  if (lifetimeMs <= 0)
    throw failed(`lifetime must be greater than zero, got ${shownMs(lifetimeMs)}`)
  if (lifetimeMs > lifetimeMsMax) throw failed('lifetime must not be greater than a year')
  const ttlMs = durationOf(options, declared.ttl.name) ?? Math.min(usualTtlMs, lifetimeMs)
  if (ttlMs < 0) throw failed(`ttl must not be negative, got ${shownMs(ttlMs)}`)
  if (ttlMs > lifetimeMs) {
    const [ttl, lifetime] = [shownMs(ttlMs), shownMs(lifetimeMs)]
    throw failed(`ttl (${ttl}) must not be greater than lifetime (${lifetime})`)
  }
  return { lifetimeMs, ttlMs }
}

function shownMs(ms: number): string {
  const shown = goDuration(BigInt(Math.abs(ms)) * 1_000_000n)
  return ms < 0 ? `-${shown}` : shown
}

/** The path for the record: with a namespace, normalized. Throws `command_failed`. */
function publishedPath(text: string): string {
  const named = parseNamePath(text)
  if (named !== null) return ['/ipns', named.name, ...named.segments].join('/')
  const { root, segments, ipld } = parsePath(text)
  return [ipld ? '/ipld' : '/ipfs', root.toString(), ...segments].join('/')
}
