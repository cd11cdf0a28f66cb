// What `runNow` of an operation answers with when something was not at hand: how to go on from where it stopped, instead
// of beginning anew.
// Tested by src/gateway/create-pipeline.test.ts

/** `goOn`: the answer of `run`, which throws as that does. Told to the labels that `runNow` was given. */
export class Unfinished {
  readonly goOn: (signal: AbortSignal) => Promise<unknown>
  constructor(goOn: (signal: AbortSignal) => Promise<unknown>) {
    this.goOn = goOn
  }
}
