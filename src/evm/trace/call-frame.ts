// One frame in the result of `callTracer` (go-ethereum eth/tracers/native/call.go).
// Tested by src/devchain/engine/trace.test.ts

export type CallLog = {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly index: string
  readonly position: string
}

/** Members in go-ethereum's order. */
export type CallFrame = {
  readonly from: string
  gas: string
  gasUsed: string
  to?: string
  readonly input: string
  output?: string
  error?: string
  revertReason?: string
  calls?: CallFrame[]
  logs?: CallLog[]
  readonly value?: string
  readonly type: string
}
