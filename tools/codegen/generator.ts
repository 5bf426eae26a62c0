/** Returns generated files: a map from each path in the repository to the content that the file must have. */
export type Generator = () => Promise<Readonly<Record<string, string>>>;
