// `networks:` of the settings file and its short forms in the environment and in flags, as validated plain values. Reports all
// issues together, each with its line and fix.
import type { z } from 'zod'
import { freeze } from './load.ts'
import { type ConfigIssue, wrongAt } from './config-issue.ts'
import { checkAcross, checkWithin } from './network-checks.ts'
import {
  type NetworkConfig,
  type UpstreamConfig,
  type VerifyMode,
  activeUpstreams,
} from './network-config.ts'
import { describeNetworkIssue } from './network-issue.ts'
import { embeddedSchema, upstreamNetworkSchema } from './network-schema.ts'
import { type NetworkFlags, readShortForms } from './network-variable.ts'
import { broken, readItem, readShortForm, valueAt, type Written } from './network-source-lines.ts'
import type { Environment } from './reference.ts'
import type { FileValue } from './yaml-file.ts'

const networksMax = 64
/** Maximum number of reported issues of one list. */
const mistakesMax = 50

export type Networks = {
  /** Null: no networks are configured, and the settings of `chain` apply. */
  readonly networks: readonly NetworkConfig[] | null
  readonly mistakes: readonly ConfigIssue[]
  /** The place of each network, in the order of `networks`. */
  readonly written: readonly Written[]
}

/** `values`: from the whole file. Never throws: issues are returned. */
export function readNetworks(
  file: string,
  values: readonly FileValue[],
  env: Environment,
  flags: readonly NetworkFlags[] = [],
): Networks {
  const short = readShortForms(env, flags)
  const mistakes: ConfigIssue[] = [...short.mistakes, ...refuseSections(file, values)]
  const list = values.find(({ path }) => path === 'networks')
  const listed = list?.value ?? null
  if (listed !== null && !(Array.isArray(listed) && listed.length > 0)) {
    const message = 'networks: expected a list of at least one network'
    const fix = `write "- name: mainnet" below line ${list?.line} of ${file}, and its other members below that`
    mistakes.push(wrongAt(`${file}:${list?.line}`, message, fix))
  }
  const items: readonly unknown[] = Array.isArray(listed) ? listed : []
  if (items.length > networksMax) {
    mistakes.push(wrongAt(`${file}:${list?.line}`, `more than ${networksMax} networks`))
  }
  const written = items
    .slice(0, networksMax)
    .flatMap((item, index) =>
      readItem({ item, index, file, list, env, forms: short.forms, mistakes }),
    )
  const named = new Set(written.map(({ raw }) => raw['name']))
  for (const form of short.forms) {
    if (!named.has(form.network)) written.push(...readShortForm(form, mistakes))
  }
  const networks = written.flatMap((one) => validate(one, mistakes))
  mistakes.push(...checkAcross(written))
  const isGiven = written.length > 0
  return {
    networks: isGiven && mistakes.length === 0 ? freeze(networks) : null,
    mistakes: mistakes.slice(0, mistakesMax),
    written,
  }
}

// `networks:` written as a mapping parses like separate settings.
function refuseSections(file: string, values: readonly FileValue[]): readonly ConfigIssue[] {
  const first = values.find(({ path }) => path.startsWith('networks.'))
  if (first === undefined) return []
  const name = first.path.split('.')[1] ?? ''
  const where = `${file}:${first.line}`
  return [
    wrongAt(
      where,
      'networks is a list, and these are names below it',
      `write "- name: ${name}" in line ${first.line} of ${file}, and its members below it, further in`,
    ),
  ]
}

function validate(written: Written, mistakes: ConfigIssue[]): readonly NetworkConfig[] {
  const { raw } = written
  const isBroken = (path: readonly PropertyKey[]) =>
    path.some((_, at) => valueAt(raw, path.slice(0, at + 1)) === broken)
  const parsed =
    raw['embedded'] === true ? embeddedSchema.safeParse(raw) : upstreamNetworkSchema.safeParse(raw)
  for (const issue of parsed.error?.issues ?? []) {
    if (!isBroken(issue.path)) mistakes.push(...describeNetworkIssue(issue, written))
  }
  mistakes.push(...checkWithin(written))
  if (parsed.data === undefined) return []
  return [parsed.data.embedded ? parsed.data : upstreamNetwork(parsed.data)]
}

function upstreamNetwork(listed: z.output<typeof upstreamNetworkSchema>): NetworkConfig {
  const { default: usual = null, ...methods } = (listed.verify ?? {}) as Record<string, VerifyMode>
  const { quorum, ...heads } = listed.heads
  return {
    ...listed,
    embedded: false,
    chainId: BigInt(listed.chainId),
    verify: { default: usual, methods },
    heads: {
      ...heads,
      quorum: quorum ?? Math.min(2, activeUpstreams(listed).length),
      checkpoint: heads.checkpoint?.toLowerCase() ?? null,
      beaconSpec: heads.beaconSpec && {
        ...heads.beaconSpec,
        forks: heads.beaconSpec.forks.toSorted((one, other) => one.epoch - other.epoch),
      },
    },
    genesisHash: listed.genesisHash?.toLowerCase() ?? null,
    blobSchedule: listed.blobSchedule?.toSorted((one, other) => other.from - one.from) ?? null,
    upstreams: nameAll(listed.upstreams),
  }
}

type ParsedUpstreams = z.output<typeof upstreamNetworkSchema>['upstreams']

// Two paths on one host are two upstreams: the second is named `host-2`.
function nameAll(upstreams: ParsedUpstreams): readonly UpstreamConfig[] {
  const taken = new Set(upstreams.flatMap(({ name }) => (name === undefined ? [] : [name])))
  return upstreams.map(({ name, headers, ...rest }) => ({
    ...rest,
    name: name ?? freeName(new URL(rest.url).host, taken),
    headers: Object.fromEntries(
      Object.entries(headers).map(([header, value]) => [header.toLowerCase(), value]),
    ),
  }))
}

function freeName(host: string, taken: Set<string>): string {
  let name = host
  for (let copy = 2; taken.has(name); copy++) name = `${host}-${copy}`
  taken.add(name)
  return name
}
