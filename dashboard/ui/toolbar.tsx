// Parts of the toolbar above a table: search, filters that show their value, a switch between a few values.
// Tested by test/browser/keys.test.ts
import { Icon } from './icons.tsx'

export function SearchBox({
  title,
  value,
  onValue,
}: {
  /** Also the placeholder: `Find a key by name or prefix`. */
  readonly title: string
  readonly value: string
  onValue(value: string): void
}) {
  return (
    <div class="searchbox">
      <Icon name="search" size={16} />
      <input
        class="input"
        type="search"
        aria-label={title}
        placeholder={title}
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </div>
  )
}

type ChoiceProps<Value extends string> = {
  readonly title: string
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly title: string }[]
  onValue(value: NoInfer<Value>): void
}

/** A filter. It is tinted unless its value is `unset`, by default the first. */
export function Pick<Value extends string>({
  title,
  value,
  options,
  unset = options[0]?.value,
  onValue,
}: ChoiceProps<Value> & { readonly unset?: NoInfer<Value> | undefined }) {
  return (
    <label class={`pick${value === unset ? '' : ' set'}`}>
      {title}:
      <select
        aria-label={title}
        value={value}
        onChange={(event) => onValue(event.currentTarget.value as Value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.title}
          </option>
        ))}
      </select>
    </label>
  )
}

export function Segments<Value extends string>({
  title,
  value,
  options,
  onValue,
}: ChoiceProps<Value>) {
  return (
    <div class="seg" role="group" aria-label={title}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onValue(option.value)}
        >
          {option.title}
        </button>
      ))}
    </div>
  )
}
