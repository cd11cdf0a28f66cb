// A setting that cannot be used. The message is one sentence naming the setting, where it was given and what
// was expected; it never holds a secret's value.
// Tested by src/config/load.test.ts

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
