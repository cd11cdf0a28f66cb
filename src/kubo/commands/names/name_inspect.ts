// `name/inspect`: the fields of a record, and with `verify` whether it is valid under a name.
// Tested by src/kubo/commands/names/names.test.ts
import { Fault } from '../../../base/fault.ts'
import type { Clock } from '../../../base/clock.ts'
import type { IpnsName } from '../../../codec/ipld/ipns-name.ts'
import {
  type IpnsRecord,
  decodeIpnsRecord,
  verifyIpnsRecord,
} from '../../../codec/ipld/ipns-record.ts'
import type { UploadEntry } from '../../../ipfs/import/upload-entry.ts'
import { type KuboCommand, flag, text, valueOf } from '../../kubo-command.ts'
import { readRecord } from '../../params/ipns-options.ts'
import { goDuration, hexDump } from '../../replies/go-text.ts'
import { readName } from './name_get.ts'

type InspectInput = {
  readonly entries: AsyncIterable<UploadEntry> | null
  /** Null: the record is only decoded. */
  readonly verify: IpnsName | null
  readonly dump: boolean
}

type Inspected = {
  readonly Entry: {
    readonly Value: string
    readonly ValidityType: 0
    readonly Validity: string
    readonly Sequence: bigint
    readonly TTL: bigint | null
  }
  readonly PbSize: number
  readonly SignatureType: 'V1+V2' | 'V2'
  readonly HexDump: string
  readonly Validation: { Valid: boolean; Reason: string; Name: string } | null
}

const declared = { verify: text('verify'), dump: flag('dump', { default: true }) }

export function createNameInspect(clock: Clock): KuboCommand<InspectInput> {
  return {
    name: 'name/inspect',
    class: 'read',
    argument: { name: 'record', required: true },
    body: 'entries',
    options: Object.values(declared),
    parse({ options, entries }) {
      const verify = valueOf(options, declared.verify)
      return {
        entries,
        verify: verify === '' ? null : readName(verify),
        dump: valueOf(options, declared.dump),
      }
    },
    async run({ entries, verify, dump }) {
      const bytes = await readRecord(entries)
      const record = decodeIpnsRecord(bytes)
      const value: Inspected = {
        Entry: {
          Value: record.value,
          ValidityType: 0,
          Validity: record.validityText,
          Sequence: record.sequence,
          TTL: record.ttlNs,
        },
        PbSize: bytes.length,
        SignatureType: record.hasV1 ? 'V1+V2' : 'V2',
        HexDump: dump ? hexDump(bytes) : '',
        Validation: verify === null ? null : validation(record, verify, clock.now()),
      }
      return { kind: 'object', value, text: () => textOf(value) }
    },
  }
}

function validation(record: IpnsRecord, name: IpnsName, now: number) {
  let reason = ''
  try {
    verifyIpnsRecord(record, name, now)
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    reason = thrown.message
  }
  return { Valid: reason === '', Reason: reason, Name: name.text }
}

function textOf({ Entry, PbSize, SignatureType, HexDump, Validation }: Inspected): string {
  const rows: (readonly [string, string])[] = [
    ['Value', JSON.stringify(Entry.Value)],
    ['Validity Type', '0'],
    ['Validity', JSON.stringify(Entry.Validity)],
    ['Sequence', String(Entry.Sequence)],
    ...(Entry.TTL === null ? [] : [['TTL', goDuration(Entry.TTL)] as const]),
    ['Protobuf Size', String(PbSize)],
    ['Signature Type', SignatureType],
  ]
  const shown = rows.map(([name, value]) => `${`${name}:`.padEnd(16)}${value}\n`).join('')
  const reason =
    Validation === null || Validation.Reason === '' ? '' : `\tReason: ${Validation.Reason}\n`
  const checked =
    Validation === null
      ? "\nThis record was not verified. Pass '--verify k51...' to verify.\n"
      : `\nValidation results:\n\tValid:  ${Validation.Valid}\n${reason}\tName:   ${Validation.Name}\n`
  return `${shown}${checked}${HexDump === '' ? '' : `\nHex Dump:\n${HexDump}`}`
}
