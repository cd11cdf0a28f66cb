// Objects, lists and long bytes of an answer as rows of a name and a readable value. Pure.
// Tested by dashboard/proof/answer-fields.test.ts
import { formatCount, formatTime } from '../app/format.ts'

type AnswerField = {
  /** In words: `Gas used`. */
  readonly name: string
  /** As in the answer; null: a number of a list or of a word. */
  readonly member: string | null
  /** 0 to 3. */
  readonly depth: number
  readonly text: string
}

export type AnswerFields = {
  readonly fields: readonly AnswerField[]
  /** Rows that are not among the fields. */
  readonly left: number
}

const rowsMax = 200
/** Of one list; the others are counted. */
const itemsMax = 50
const depthMax = 3
const textMax = 200
const wordDigits = 64

/** Quantities of at most 32 digits: longer ones are hashes or parts of a signature. */
const quantity = /^0x(0|[1-9a-f][0-9a-f]{0,31})$/
/** Members that hold bytes, however short. */
const ofBytes = /^(data|input|output|extraData|init|code|topics|proof|accountProof)$/
const inWei = /(price|feePerGas|feePerBlobGas|balance)$/i
const addressDigits = 40

/** Null: the value is read in other ways (value-forms.ts). */
export function answerFieldsOf(value: unknown): AnswerFields | null {
  if (typeof value === 'string') return wordsOf(value)
  if (typeof value !== 'object' || value === null) return null
  const reader = { fields: [] as AnswerField[], left: 0 }
  addMembers(value, { name: '', depth: 0 }, reader)
  return reader
}

type Reader = { readonly fields: AnswerField[]; left: number }
/** `name`: of the object or list. */
type Place = { readonly name: string; readonly depth: number }

function addMembers(value: object, { name, depth }: Place, reader: Reader): void {
  const isList = Array.isArray(value)
  const members = Object.entries(value as Readonly<Record<string, unknown>>)
  const shown = isList ? members.slice(0, itemsMax) : members
  reader.left += members.length - shown.length
  for (const [key, one] of shown) {
    if (reader.fields.length >= rowsMax) {
      reader.left += 1
      continue
    }
    const member = isList ? name : key
    const title = isList ? String(Number(key) + 1) : nameText(key)
    const isNested = typeof one === 'object' && one !== null && Object.keys(one).length > 0
    const opens = isNested && depth < depthMax
    reader.fields.push({
      name: title,
      member: isList ? null : key,
      depth,
      text: opens ? sizeOf(one) : textOf(one, member, value),
    })
    if (opens) addMembers(one, { name: member, depth: depth + 1 }, reader)
  }
}

/** `gasUsed`: `Gas used`. */
function nameText(name: string): string {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function sizeOf(value: object): string {
  return Array.isArray(value)
    ? formatCount(value.length, 'item')
    : formatCount(Object.keys(value).length, 'field')
}

/** `owner`: the object that contains the value. */
function textOf(value: unknown, member: string, owner: object): string {
  const text = String(value)
  if (value === null || value === undefined) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object') {
    return Object.keys(value).length === 0 ? 'none' : cut(JSON.stringify(value))
  }
  if (ofBytes.test(member) || !quantity.test(text)) return bytesText(text)
  const number = BigInt(text)
  if (/timestamp$/i.test(member) && number < 8_640_000_000_000n) {
    return formatTime(Number(number) * 1_000)
  }
  if (member === 'status' && number < 2n) return number === 1n ? '1, success' : '0, failed'
  const isWei = inWei.test(member) || (member === 'value' && 'from' in owner)
  return `${number.toLocaleString('en')}${isWei ? ' wei' : ''}`
}

/** Hashes and addresses whole, longer bytes by their number and their first ones. */
function bytesText(text: string): string {
  if (text === '0x') return 'empty'
  if (text.length <= wordDigits + 2) return text
  if (!/^0x([0-9a-f]{2})*$/i.test(text)) return cut(text)
  const first = text.slice(0, 2 + addressDigits)
  return `${formatCount((text.length - 2) / 2, 'byte')}, ${first}…`
}

function cut(text: string): string {
  return text.length <= textMax ? text : `${text.slice(0, textMax)}…`
}

/** Results of calls: one text of the ABI, or words of 32 bytes. */
function wordsOf(value: string): AnswerFields | null {
  const digits = /^0x([0-9a-f]*)$/i.exec(value)?.[1] ?? ''
  if (digits.length <= wordDigits || digits.length % wordDigits !== 0) return null
  const words = digits.match(/.{64}/g) ?? []
  const text = abiTextOf(words)
  if (text !== null) {
    return { fields: [{ name: 'Text', member: null, depth: 0, text: cut(text) }], left: 0 }
  }
  const shown = words.slice(0, itemsMax)
  return {
    fields: shown.map((word, at) => ({
      name: `Word ${at}`,
      member: null,
      depth: 0,
      text: wordText(word),
    })),
    left: words.length - shown.length,
  }
}

/** As a `string` is returned: its offset, its length, its bytes padded with zeros. Null: not one, or not printable. */
function abiTextOf([offset = '', size = '', ...rest]: readonly string[]): string | null {
  if (BigInt(`0x${offset || '0'}`) !== 32n || !/^0{56}/.test(size)) return null
  const bytes = Number.parseInt(size, 16)
  if (bytes === 0 || Math.ceil(bytes / 32) !== rest.length) return null
  const digits = rest.join('')
  if (/[^0]/.test(digits.slice(bytes * 2))) return null
  const codes = (digits.slice(0, bytes * 2).match(/../g) ?? []).map((pair) =>
    Number.parseInt(pair, 16),
  )
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(codes))
    return /\p{Cc}/u.test(text) ? null : text
  } catch {
    return null
  }
}

/** Small numbers, addresses, else the word. */
function wordText(word: string): string {
  const significant = word.replace(/^0+/, '')
  if (significant.length <= 24) return BigInt(`0x${significant || '0'}`).toLocaleString('en')
  if (significant.length <= addressDigits) return `0x${word.slice(-addressDigits)}`
  return `0x${word}`
}
