declare module "*.json?first" {
  const notices: Record<string, string>;
  export default notices;
}
