package incidents

import "fmt"

const ingressClass = `
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: sandbox}
spec: {controller: sandbox.demarc.dev/ingress}
`

// web is a Deployment of two, on the nodes of a pool where one is named: for an hour also while
// these are not ready.
func web(name, pool string) string {
	where := ""
	if pool != "" {
		where = fmt.Sprintf("nodeSelector: {pool: %[1]s}\n      tolerations: [{key: pool, value: %[1]s, effect: NoSchedule}, "+
			"{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 3600}]\n      ", pool)
	}
	return fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s}
spec:
  replicas: 2
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}}
    spec:
      %[2]scontainers:
        - name: web
          image: registry.example/shop/web:1.4.2
          ports: [{name: http, containerPort: 8080}]
          resources: {requests: {cpu: 100m, memory: 128Mi}, limits: {memory: 256Mi}}
`, name, where)
}

func service(name, selects string) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: Service
metadata: {name: %s}
spec:
  selector: {app: %s}
  ports: [{port: 80, targetPort: http}]
`, name, selects)
}

func ingress(name string, port int) string {
	return fmt.Sprintf(`
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: %[1]s}
spec:
  ingressClassName: sandbox
  rules: [{host: web.shop.example, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: %[1]s, port: {number: %[2]d}}}}]}}]
`, name, port)
}

func budget(name, wants string) string {
	return fmt.Sprintf(`
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: %[1]s}
spec: {%[2]s, selector: {matchLabels: {app: %[1]s}}}
`, name, wants)
}
