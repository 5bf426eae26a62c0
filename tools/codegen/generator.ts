/** From a path in the repository to the content that the file there must have. */
export type Generator = () => Promise<Readonly<Record<string, string>>>;
