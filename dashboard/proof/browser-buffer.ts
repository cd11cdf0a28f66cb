// Buffer, which the codec takes for granted. Imported before everything that uses it.
// Tested by test/browser/proof.test.ts
import { Buffer } from 'buffer'

globalThis.Buffer ??= Buffer as unknown as typeof globalThis.Buffer
