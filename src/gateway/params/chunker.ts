// The chunker grammar of Kubo with its texts (contract-files 6.3). Fixed-size chunks are built; the others are
// judged as Kubo judges them and then refused by name.
import { Fault } from '../../base/fault.ts'

const chunkBytesMax = 2_096_896
const defaultChunkBytes = 262_144

/** Bytes of a chunk. Throws `command_failed` with Kubo's text, `unsupported_option` for rabin and buzhash. */
export function parseChunker(text: string): number {
  if (text === '' || text === 'default') return defaultChunkBytes
  if (text.startsWith('size-')) {
    const size = number(text.slice('size-'.length))
    if (size <= 0) throw failed('chunker size must be greater than 0')
    return within(size)
  }
  if (text.startsWith('rabin')) checkRabin(text)
  else if (!text.startsWith('buzhash')) throw failed(`unrecognized chunker option: ${text}`)
  throw new Fault('unsupported_option', {
    detail: `value ${JSON.stringify(text)} of option "chunker" is not supported by this server`,
  })
}

function checkRabin(text: string): void {
  const parts = text.split('-')
  if (parts.length === 1) return
  if (parts.length === 2) {
    const average = number(parts[1] as string)
    within(average + Math.floor(average / 2))
    return
  }
  if (parts.length !== 4) {
    throw failed("incorrect format (expected 'rabin' 'rabin-[avg]' or 'rabin-[min]-[avg]-[max]'")
  }
  const min = labelled(parts[1] as string, 'min', 'first label must be min')
  if (min < 16) throw failed('rabin min must be greater than 16')
  const average = labelled(parts[2] as string, 'avg', 'second label must be avg')
  const max = labelled(parts[3] as string, 'max', 'final label must be max')
  if (min >= average) throw failed('incorrect format: rabin-min must be smaller than rabin-avg')
  if (average >= max) throw failed('incorrect format: rabin-avg must be smaller than rabin-max')
  within(max)
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
