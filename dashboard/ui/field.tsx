// Form fields: title, input, hint and error, linked for screen readers.
import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

type FieldProps = {
  readonly title: string
  readonly hint?: ComponentChildren
  /** Error text; null or absent: none. */
  readonly error?: string | null | undefined
}

type InputParts = {
  readonly id: string
  readonly 'aria-describedby'?: string
  readonly 'aria-invalid'?: 'true'
}

/** Frame of a field. `children` receives the attributes that its input must have. */
function Field({
  title,
  hint,
  error,
  children,
}: FieldProps & { readonly children: (input: InputParts) => ComponentChildren }) {
  const id = useId()
  const wrong = error !== undefined && error !== null
  const described = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(wrong ? [`${id}-error`] : []),
  ].join(' ')
  return (
    <div class="field">
      <label for={id}>{title}</label>
      {children({
        id,
        ...(described === '' ? {} : { 'aria-describedby': described }),
        ...(wrong ? { 'aria-invalid': 'true' } : {}),
      })}
      {hint !== undefined && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {wrong && (
        <span class="field-error" id={`${id}-error`} role="alert">
          {error}
        </span>
      )}
    </div>
  )
}

type TextProps = FieldProps & {
  readonly value: string
  onValue(value: string): void
  readonly type?: 'text' | 'email' | 'password' | 'number' | 'url' | 'date'
  /** Value of the autocomplete attribute: `username`, `current-password`, `one-time-code`. */
  readonly autocomplete?: string
  readonly inputMode?: 'numeric' | 'text'
  readonly placeholder?: string
  readonly maxLength?: number
  readonly disabled?: boolean
  /** Takes the focus when it is rendered. */
  readonly focused?: boolean
}

export function TextField(props: TextProps) {
  const { title, hint, error, onValue, type = 'text', focused = false, ...rest } = props
  const ref = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (focused) ref.current?.focus()
  }, [])
  // preact's types distinguish inputs by a literal `type`.
  const attributes = { type, ...rest } as InputHTMLAttributes<HTMLInputElement>
  return (
    <Field title={title} hint={hint} error={error}>
      {(input) => (
        <input
          ref={ref}
          class="input"
          {...attributes}
          {...input}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

type AreaProps = FieldProps & {
  readonly value: string
  onValue(value: string): void
  readonly placeholder?: string
  readonly rows?: number
  /** Takes the focus when it is rendered. */
  readonly focused?: boolean
}

/** Multi-line text: a list with one entry per line, or a document. */
export function AreaField({
  title,
  hint,
  error,
  value,
  onValue,
  placeholder,
  rows = 3,
  focused = false,
}: AreaProps) {
  const ref = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (focused) ref.current?.focus()
  }, [])
  return (
    <Field title={title} hint={hint} error={error}>
      {(input) => (
        <textarea
          ref={ref}
          class="input"
          {...input}
          rows={rows}
          spellcheck={false}
          {...(placeholder === undefined ? {} : { placeholder })}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

type SelectProps<Value extends string> = FieldProps & {
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly title: string }[]
  onValue(value: NoInfer<Value>): void
  readonly disabled?: boolean
}

export function SelectField<Value extends string>(props: SelectProps<Value>) {
  const { title, hint, error, value, options, onValue, disabled = false } = props
  return (
    <Field title={title} hint={hint} error={error}>
      {(input) => (
        <select
          class="input"
          {...input}
          disabled={disabled}
          value={value}
          onChange={(event) => onValue(event.currentTarget.value as Value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.title}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

export function CheckField({
  title,
  hint,
  value,
  onValue,
  disabled = false,
}: {
  readonly title: string
  readonly hint?: ComponentChildren
  readonly value: boolean
  onValue(value: boolean): void
  readonly disabled?: boolean
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={value}
        disabled={disabled}
        onChange={(event) => onValue(event.currentTarget.checked)}
      />
      <span>
        {title}
        {hint !== undefined && <span class="hint">{hint}</span>}
      </span>
    </label>
  )
}
