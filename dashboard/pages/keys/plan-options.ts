// The plans, as options of a form.

export const planOptions = [
  { value: 'none', title: 'No limits' },
  { value: 'free', title: 'Free: 3 million units per day, 500 per second' },
  { value: 'developer', title: 'Developer: 15 million per day, 4,000 per second' },
  { value: 'team', title: 'Team: 75 million per day, 40,000 per second' },
] as const

export type Plan = (typeof planOptions)[number]['value']
