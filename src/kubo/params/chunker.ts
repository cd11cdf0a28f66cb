// The chunker grammar of Kubo with its texts.
// Tested by src/kubo/params/import-options.test.ts
import { Fault } from '../../base/fault.ts'
import type { Chunker } from '../../ipfs/import/chunk.ts'
import type { RabinBounds } from '../../ipfs/import/chunk-rabin.ts'

const chunkBytesMax = 2_096_896
/** What Kubo's chunkers without numbers are about, whatever the profile. */
const defaultChunkBytes = 262_144
/** The window of the fingerprint: no chunk may be shorter. */
const windowBytes = 16

/** Throws `command_failed` with Kubo's text. */
export function parseChunker(text: string): Chunker {
  if (text === '' || text === 'default') return { kind: 'size', bytes: defaultChunkBytes }
  if (text.startsWith('size-')) {
    const size = number(text.slice('size-'.length))
    if (size <= 0) throw failed('chunker size must be greater than 0')
    return { kind: 'size', bytes: within(size) }
  }
  if (text.startsWith('rabin')) return { kind: 'rabin', ...parseRabin(text) }
  if (text.startsWith('buzhash')) return { kind: 'buzhash' }
  throw failed(`unrecognized chunker option: ${text}`)
}

function parseRabin(text: string): RabinBounds {
  const parts = text.split('-')
  if (parts.length === 1) return boundsAround(defaultChunkBytes)
  if (parts.length === 2) return boundsAround(number(parts[1] as string))
  if (parts.length !== 4) {
    throw failed("incorrect format (expected 'rabin' 'rabin-[avg]' or 'rabin-[min]-[avg]-[max]'")
  }
  const min = labelled(parts[1] as string, 'min', 'first label must be min')
  if (min < windowBytes) throw failed('rabin min must be greater than 16')
  const average = labelled(parts[2] as string, 'avg', 'second label must be avg')
  const max = labelled(parts[3] as string, 'max', 'final label must be max')
  if (min >= average) throw failed('incorrect format: rabin-min must be smaller than rabin-avg')
  if (average >= max) throw failed('incorrect format: rabin-avg must be smaller than rabin-max')
  return { min, average, max: within(max) }
}

function boundsAround(average: number): RabinBounds {
  const max = within(average + Math.floor(average / 2))
  const min = Math.floor(average / 3)
  // Kubo takes these, and then cuts in a way that follows from how its numbers wrap.
  if (min < windowBytes) {
    const detail = `value "rabin-${average}" of option "chunker" is not supported by this server`
    throw new Fault('unsupported_option', { detail })
  }
  return { min, average, max }
}

function labelled(text: string, label: string, complaint: string): number {
  const colon = text.indexOf(':')
  if (colon < 0) return number(text)
  if (text.slice(0, colon) !== label) throw failed(complaint)
  return number(text.slice(colon + 1))
}

function number(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) {
    throw failed(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`)
  }
  return Number(text)
}

function within(bytes: number): number {
  if (bytes > chunkBytesMax) {
    throw failed(`chunker parameters may not exceed the maximum chunk size of ${chunkBytesMax}`)
  }
  return bytes
}

function failed(detail: string): Fault {
  return new Fault('command_failed', { detail })
}
