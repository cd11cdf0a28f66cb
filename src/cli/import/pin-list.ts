// Parses a list of pins: CIDs one per line, the text or JSON of `ipfs pin ls`, or the report of an earlier run.
import type { CID } from 'multiformats/cid'
import { parseCid } from '../../codec/ipld/cid.ts'

export type WantedPin = {
  readonly cid: CID
  readonly mode: 'recursive' | 'direct'
  readonly name: string
}

/** `place`: `line 3`, or the name in a JSON object. */
type WrongEntry = { readonly place: string; readonly text: string }

export type PinList = {
  /** Each CID and mode once, in list order, with the first name. */
  readonly wanted: readonly WantedPin[]
  readonly wrong: readonly WrongEntry[]
}

/** Maximum number of pins in one list. */
const pinsMax = 5_000_000
const shownMax = 100

/**
 * Accepts `<cid>` and `<cid> <type> [<name>]` lines, NDJSON of `{"Cid","Type","Name"}`, and `{"Keys":{<cid>:{"Type","Name"}}}`.
 * Skips blank lines, lines that start with #, and indirect pins, because their roots include them.
 */
export function parsePinList(text: string): PinList {
  const wanted = new Map<string, WantedPin>()
  const wrong: WrongEntry[] = []

  /** False: `text` is not a CID. */
  function add(text: string, type: unknown, name: unknown): boolean {
    if (type === 'indirect') return true
    const cid = parseCid(text.replace(/^(ipfs:\/\/|\/ipfs\/)/, ''))
    if (cid === null) return false
    const mode = type === 'direct' ? 'direct' : 'recursive'
    const key = pinKey(cid, mode)
    if (wanted.has(key)) return true
    if (wanted.size >= pinsMax) throw new Error(`the list has more than ${pinsMax} pins`)
    wanted.set(key, { cid, mode, name: typeof name === 'string' ? name : '' })
    return true
  }

  function refuse(place: string, text: string): void {
    wrong.push({ place, text: text.slice(0, shownMax) })
  }

  function addObject(place: string, value: unknown): void {
    const { Keys: keys, Cid: cid, Type: type, Name: name } = membersOf(value)
    if (typeof keys === 'object' && keys !== null) {
      for (const [text, pin] of Object.entries(keys)) {
        const { Type: each, Name: called } = membersOf(pin)
        if (!add(text, each, called)) refuse(place, text)
      }
    } else if (typeof cid !== 'string') refuse(place, JSON.stringify(value) ?? '')
    else if (!add(cid, type, name)) refuse(place, cid)
  }

  const document = text.trimStart().startsWith('{') ? jsonOf(text) : null
  if (document !== null) {
    addObject('the object', document)
    return { wanted: [...wanted.values()], wrong }
  }
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim()
    const place = `line ${index + 1}`
    if (line === '' || line.startsWith('#')) continue
    if (line.startsWith('{')) {
      const value = jsonOf(line)
      if (value === null) refuse(place, line)
      else addObject(place, value)
      continue
    }
    const [cid = '', type, ...name] = line.split(/\s+/)
    const isType = type === 'direct' || type === 'indirect' || type === 'recursive'
    if (!add(cid, type, isType ? name.join(' ') : '')) refuse(place, line)
  }
  return { wanted: [...wanted.values()], wrong }
}

/** Pins with the same key are the same pin. Qm… and bafy… of the same bytes have different keys. */
export function pinKey(cid: CID, mode: WantedPin['mode']): string {
  return `${mode} ${cid.toString()}`
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function jsonOf(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}
