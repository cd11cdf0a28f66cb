// A small contract, assembled by hand, that every client test can deploy: it contains the two slots of the documented storage
// example, stores and logs a pair of words, and returns a slot. Its interface is raw words without selectors.

/** keccak256 of the owner's address and 1: the mapping element of the documented example. */
export const mappingSlot = '0x6661e9d6d8b923d5bbaab1b96e1dd51ff6ea2a93520fdc9eb75d059238b8c5e9'

/** keccak256("Stored(uint256,uint256)"). */
export const storedTopic = '0x793333530bc27d845c36d8799afd0c1152c33d074b4419780fc2a82658267614'

export const storedEvent = 'event Stored(uint256 slot, uint256 value)'

const answerSlot = '5f35545f5260205ff3'
const storeAndLog = `5b6020355f355560405f5f377f${storedTopic.slice(2)}60405fa100`

/** 64 bytes of calldata: stores word 1 at slot word 0 and logs both. Any other calldata: returns the slot of word 0. */
export const storageRuntime =
  `0x3660401460${hexByte(7 + byteLength(answerSlot))}57${answerSlot}${storeAndLog}` as const

const setSlots = `6104d25f5561162e7f${mappingSlot.slice(2)}55`
const copyHead = byteLength(setSlots) + 9

/** Init code: slot 0 = 1234, `mappingSlot` = 5678. */
export const storageInit =
  `0x${setSlots}60${hexByte(byteLength(storageRuntime.slice(2)))}8060${hexByte(copyHead)}5f395ff3${storageRuntime.slice(2)}` as const

/** `word` as 64 hex digits without prefix. */
export function word(value: number | bigint): string {
  return value.toString(16).padStart(64, '0')
}

function byteLength(hex: string): number {
  return hex.length / 2
}

function hexByte(value: number): string {
  return value.toString(16).padStart(2, '0')
}
